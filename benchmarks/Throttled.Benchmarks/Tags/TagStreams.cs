namespace Throttled.Benchmarks.Tags;

/// <summary>Counts the events that arrived at the streams of a plan.</summary>
internal sealed class TagStreams
{
    private readonly int[] _left;
    private readonly long[] _last;
    private readonly TaskCompletionSource _done = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private int _unfinished;

    /// <param name="after">The ordering after which they begin.</param>
    /// <param name="events">
    /// The events of the plan after that ordering, written or not yet: the index of the first, and their number.
    /// </param>
    internal TagStreams(TagPlan plan, long after, (int First, int Count) events)
    {
        (Plan, After, _unfinished, _last) = (plan, after, plan.Streams, new long[plan.Streams]);
        _left = [.. Enumerable.Range(0, plan.Streams).Select(stream => plan.Expected(stream, events.First, events.Count))];
    }

    internal TagPlan Plan { get; }

    internal long After { get; }

    /// <summary>Completes when all streams have all their events.</summary>
    internal Task Done => _done.Task;

    /// <summary>Records an event. Each stream calls it on one thread at a time.</summary>
    internal void Arrived(int stream, long ordering)
    {
        if (ordering <= _last[stream] || _left[stream] == 0)
            Failed(new InvalidOperationException($"Stream {stream} got ordering {ordering} after {_last[stream]}, {_left[stream]} events before its end."));
        _last[stream] = ordering;
        if (--_left[stream] == 0 && Interlocked.Decrement(ref _unfinished) == 0)
            _done.TrySetResult();
    }

    internal void Failed(Exception error) => _done.TrySetException(error);
}
