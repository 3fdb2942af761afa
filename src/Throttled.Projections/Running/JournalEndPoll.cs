using Throttled.Projections.Diagnostics;
using Throttled.Projections.Reads;
using Throttled.Projections.Tables;

namespace Throttled.Projections.Running;

/// <summary>Polls the end of the journal. Nothing waits for a poll: the journal may be unavailable while the read model is not.</summary>
internal sealed class JournalEndPoll(Func<CancellationToken, Task<long>> end, DatabaseAvailability availability, TimeProvider clock)
{
    // One or two failed polls are not reported, because readers repeat their reads anyway.
    private const int Many = 3;

    private static readonly TimeSpan Interval = TimeSpan.FromSeconds(1);

    private Task _check = Task.CompletedTask;
    private long? _begun;
    private long _seen;
    private long _polls;
    private int _failures;

    internal long Seen => Volatile.Read(ref _seen);

    internal long Polls => Interlocked.Read(ref _polls);

    internal void Leave() => availability.Forget(this);

    internal void Poll(CancellationToken cancellation)
    {
        if (!_check.IsCompleted || (_begun is { } begun && clock.GetElapsedTime(begun) < Interval))
            return;
        _begun = clock.GetTimestamp();
        _check = PollAsync(cancellation);
    }

    private async Task PollAsync(CancellationToken cancellation)
    {
        try
        {
            Volatile.Write(ref _seen, await end(cancellation).ConfigureAwait(false));
            Interlocked.Increment(ref _polls);
            _failures = 0;
            availability.Recovered(this);
        }
        catch (Exception) when (cancellation.IsCancellationRequested)
        {
            availability.Forget(this);
        }
        catch (Exception error)
        {
            // The last seen end is still used.
            if (++_failures >= Many)
                availability.Failed(this, error);
        }
    }
}

/// <summary>Searches the end of a shard's history: nothing at or below it can still commit. Nothing waits for it, because it may take as long as an open transaction.</summary>
internal sealed class HistorySearch(Func<CancellationToken, Task<long>> now)
{
    private Task<long?>? _search;

    /// <summary>Returns the end once; null while it is searched. The call after a search has failed begins another one.</summary>
    internal long? Take(CancellationToken cancellation)
    {
        var search = _search ??= SearchAsync(cancellation);
        if (!search.IsCompletedSuccessfully)
            return null;
        _search = null;
        return search.Result;
    }

    // A fault is that of the journal, which the poll of its end reports.
    private async Task<long?> SearchAsync(CancellationToken cancellation)
    {
        try
        {
            return await now(cancellation).ConfigureAwait(false);
        }
        catch (Exception)
        {
            return null;
        }
    }
}

/// <summary>The progress of a process's lanes. Orderings of several shards are added up: the difference of the sums is the lag.</summary>
internal sealed class JournalProgress(ProjectionContext context)
{
    internal long OffsetOf(IReadOnlyList<LaneReport> lanes) =>
        context.Shards.Sum(shard => Of(shard, lanes).Select(lane => lane.Offset).DefaultIfEmpty().Min());

    /// <summary>Never below an offset of a lane, which may have moved after the last poll. Without lanes, the end of all shards.</summary>
    internal long JournalEndOf(IReadOnlyList<LaneReport> lanes, Func<int, long> journalEnd) =>
        lanes.Count == 0 ? Enumerable.Range(0, context.Shards.Count).Sum(journalEnd) : OfShards(lanes, journalEnd).Sum(shard => shard?.JournalEnd ?? 0);

    internal long JournalEndOf(IReadOnlyList<LaneReport> lanes, VersionRow row) => JournalEndOf(lanes, shard => row.JournalEndOf(context.Shards[shard].Number));

    /// <summary>The offset and the journal end of each shard; null for a shard that has none of the lanes.</summary>
    internal IEnumerable<(long Offset, long JournalEnd)?> OfShards(IReadOnlyList<LaneReport> lanes, Func<int, long> journalEnd)
    {
        foreach (var (index, shard) in context.Shards.Index())
        {
            long[] offsets = [.. Of(shard, lanes).Select(lane => lane.Offset)];
            yield return offsets.Length == 0 ? null : (offsets.Min(), Math.Max(offsets.Max(), journalEnd(index)));
        }
    }

    private IEnumerable<LaneReport> Of(SourceShard shard, IReadOnlyList<LaneReport> lanes) =>
        lanes.Where(lane => context.Shards.Count == 1 || shard.Slices.Contains(lane.Slices.First));
}
