using Throttled.Projections.Offsets;
using Throttled.Projections.Reads;

namespace Throttled.Projections.Running;

/// <summary>Searches the start of a new read model beside reconciliation, because the journal may be unavailable. Used by one thread at a time.</summary>
internal sealed class StartSearch(ProjectionContext context, Action wake)
{
    private Task<JournalPoint?>? _search;

    /// <summary>Returns the start, or null if it is not known yet. A search that failed begins again with the next call.</summary>
    /// <exception cref="ProjectionException">The start is no place in this journal.</exception>
    internal async Task<JournalPoint?> FindAsync(CancellationToken cancellation)
    {
        if (context.Options.StartAt.IsFirstEvent)
            return JournalPoint.FirstEvent;
        _search ??= SearchAsync(cancellation);
        if (!_search.IsCompleted)
            return null;
        var found = _search;
        // Not kept: if the read model cannot be created now, it begins later.
        _search = null;
        return await found.ConfigureAwait(false);
    }

    /// <summary>Another process has created the read model.</summary>
    internal void Forget()
    {
        _search = null;
        foreach (var shard in context.Availability.Journal)
            shard.Forget(this);
    }

    private async Task<JournalPoint?> SearchAsync(CancellationToken cancellation)
    {
        var find = Named(context.Options.StartAt);
        var rows = await Task.WhenAll(context.Shards.Select(shard => FindAsync(find, shard, cancellation))).ConfigureAwait(false);
        wake();
        return Array.TrueForAll(rows, row => row is not null) ? new([.. rows.Select(row => row!.Value)], context.Map) : null;
    }

    private Func<SourceShard, CancellationToken, Task<SliceOffset>> Named(ProjectionStart start)
    {
        try
        {
            return new PointSearch(context).Of(start);
        }
        catch (ProjectionException error)
        {
            throw Refused(error);
        }
    }

    private async Task<SliceOffset?> FindAsync(Func<SourceShard, CancellationToken, Task<SliceOffset>> find, SourceShard shard, CancellationToken cancellation)
    {
        var availability = context.Availability.Journal[shard.Index];
        try
        {
            var found = await find(shard, cancellation).ConfigureAwait(false);
            availability.Recovered(this);
            return found;
        }
        catch (ProjectionException error)
        {
            throw Refused(error);
        }
        catch (Exception) when (cancellation.IsCancellationRequested)
        {
            return null;
        }
        catch (Exception error)
        {
            availability.Failed(this, error);
            return null;
        }
    }

    private ProjectionException Refused(ProjectionException error) =>
        new($"'{nameof(ProjectionOptions.StartAt)}' of the projection '{context.Options.Name}' is '{context.Options.StartAt}'. {error.Message}");
}
