using Throttled.Projections.Offsets;
using Throttled.Projections.Reads;

namespace Throttled.Projections.Running;

/// <summary>Finds the start of a new read model. A journal that is unavailable is reported as that, and not as the read model database.</summary>
internal sealed class StartSearch(ProjectionContext context)
{
    /// <exception cref="ProjectionException">The start is no place in this journal.</exception>
    /// <exception cref="JournalUnavailableException">A shard cannot be read. The caller tries again.</exception>
    internal async Task<JournalPoint> FindAsync(ProjectionStart start, CancellationToken cancellation)
    {
        try
        {
            var find = new PointSearch(context).Of(start);
            return new(await Task.WhenAll(context.Shards.Select(shard => FindAsync(find, shard, cancellation))).ConfigureAwait(false), context.Map);
        }
        catch (ProjectionException error)
        {
            throw new ProjectionException($"'{nameof(ProjectionOptions.StartAt)}' of the projection '{context.Options.Name}' is '{start}'. {error.Message}");
        }
    }

    /// <summary>Another process has created the read model.</summary>
    internal void Forget()
    {
        foreach (var shard in context.Availability.Journal)
            shard.Forget(this);
    }

    private async Task<SliceOffset> FindAsync(
        Func<SourceShard, CancellationToken, Task<SliceOffset>> find, SourceShard shard, CancellationToken cancellation)
    {
        var availability = context.Availability.Journal[shard.Index];
        try
        {
            var found = await find(shard, cancellation).ConfigureAwait(false);
            availability.Recovered(this);
            return found;
        }
        catch (Exception error) when (error is not ProjectionException && !cancellation.IsCancellationRequested)
        {
            availability.Failed(this, error);
            throw new JournalUnavailableException(error);
        }
    }
}

/// <summary>The start of a new read model cannot be looked up. It is tried again.</summary>
internal sealed class JournalUnavailableException(Exception cause) : Exception(cause.Message, cause);
