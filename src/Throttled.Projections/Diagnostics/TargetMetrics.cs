using Throttled.Projections.Store;

namespace Throttled.Projections.Diagnostics;

/// <summary>The figures of one read model in this process. Thread-safe.</summary>
internal sealed class TargetMetrics(ProjectionMetrics all, string target)
{
    private const string TargetTag = "throttled.projection.version";

    private long _position;
    private long _head;
    private long _lanes;
    private long _deadLetters;
    private long _buffered;

    internal KeyValuePair<string, object?> Tag { get; } = new(TargetTag, target);

    internal long Position => Volatile.Read(ref _position);

    internal long Head => Volatile.Read(ref _head);

    internal long Lag => Math.Max(0, Head - Position);

    internal long Lanes => Volatile.Read(ref _lanes);

    internal long DeadLetters => Volatile.Read(ref _deadLetters);

    internal long Buffered => Volatile.Read(ref _buffered);

    /// <summary>A batch was committed.</summary>
    internal void Committed(int events, TimeSpan transaction)
    {
        all.Batches.Add(1, Tag);
        all.Events.Add(events, Tag);
        all.TransactionDuration.Record(transaction.TotalSeconds, Tag);
    }

    /// <summary>An attempt at an event failed.</summary>
    internal void Failed() => all.Failures.Add(1, Tag);

    /// <summary>An event became a dead letter, because it failed or because it queues.</summary>
    internal void Parked() => all.Parked.Add(1, Tag);

    /// <summary>An event that failed was passed over.</summary>
    internal void Skipped() => all.Skipped.Add(1, Tag);

    /// <summary>The decoder passed over an event.</summary>
    internal void PassedOver() => all.PassedOver.Add(1, Tag);

    /// <summary>The handler had nothing to do with an event.</summary>
    internal void Unhandled() => all.Unhandled.Add(1, Tag);

    internal void SetHead(long value) => Volatile.Write(ref _head, value);

    /// <summary>How the lanes of this process do, and how far they have come.</summary>
    internal void Set(IReadOnlyList<LaneReport> lanes, long position)
    {
        Volatile.Write(ref _position, position);
        Volatile.Write(ref _lanes, lanes.Count(lane => lane.State == LaneState.Running));
        Volatile.Write(ref _deadLetters, lanes.Sum(lane => lane.DeadLetters));
        Volatile.Write(ref _buffered, lanes.Sum(lane => lane.Buffered));
    }
}
