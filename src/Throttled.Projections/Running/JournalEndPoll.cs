using Throttled.Projections.Diagnostics;
using Throttled.Projections.Reads;
using Throttled.Projections.Tables;

namespace Throttled.Projections.Running;

/// <summary>Where the journal ends, as it was seen last. Nothing waits for a poll: the journal may be unavailable while the read model is not.</summary>
internal sealed class JournalEndPoll(Func<CancellationToken, Task<long>> end, DatabaseAvailability availability, TimeProvider clock)
{
    // One or two failed polls are not reported: readers wait for the journal anyway.
    private const int Many = 3;

    private static readonly TimeSpan Interval = TimeSpan.FromSeconds(1);

    private Task _check = Task.CompletedTask;
    private long _begun;
    private bool _hasBegun;
    private long _seen;
    private long _polls;
    private int _failures;

    /// <summary>0 where it was not seen yet.</summary>
    internal long Seen => Volatile.Read(ref _seen);

    /// <summary>How many polls found it.</summary>
    internal long Polls => Interlocked.Read(ref _polls);

    /// <summary>This process does not poll any more.</summary>
    internal void Leave() => availability.Forget(this);

    /// <summary>Begins a poll if the last one has ended and is a second old.</summary>
    internal void Poll(CancellationToken cancellation)
    {
        if (!_check.IsCompleted || (_hasBegun && clock.GetElapsedTime(_begun) < Interval))
            return;
        (_begun, _hasBegun) = (clock.GetTimestamp(), true);
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
            // What was seen last is good enough here.
            if (++_failures >= Many)
                availability.Failed(this, error);
        }
    }
}

/// <summary>
/// How far the lanes of a process have come in the shards of theirs, and where these end. Orderings of several shards are added up: what is between the
/// sums is what is between the ends and the offsets, whichever shard it is in.
/// </summary>
internal sealed class JournalProgress(ProjectionContext context)
{
    /// <param name="lanes">How the lanes do.</param>
    /// <returns>The offset of the lane that is furthest behind; 0 where there is none.</returns>
    internal long OffsetOf(IReadOnlyList<LaneReport> lanes) =>
        context.Shards.Sum(shard => Of(shard, lanes).Select(lane => lane.Offset).DefaultIfEmpty().Min());

    /// <summary>The end of the journal; no less than what a lane has handled, which may have come after the last poll.</summary>
    /// <param name="lanes">How the lanes do.</param>
    /// <param name="journalEnd">The end of a shard as it was seen last, by its place among those that are read.</param>
    internal long JournalEndOf(IReadOnlyList<LaneReport> lanes, Func<int, long> journalEnd) => context.Shards.Index()
        .Where(shard => lanes.Count == 0 || Of(shard.Item, lanes).Any())
        .Sum(shard => Of(shard.Item, lanes).Select(lane => lane.Offset).Append(journalEnd(shard.Index)).Max());

    /// <param name="lanes">How the lanes do.</param>
    /// <param name="row">The version, which has the ends as they were seen last.</param>
    internal long JournalEndOf(IReadOnlyList<LaneReport> lanes, VersionRow row) => JournalEndOf(lanes, shard => row.JournalEndOf(context.Shards[shard].Number));

    private IEnumerable<LaneReport> Of(JournalShard shard, IReadOnlyList<LaneReport> lanes) =>
        lanes.Where(lane => context.Shards.Count == 1 || shard.Slices.Contains(lane.Slices.First));
}
