namespace Throttled.Benchmarks.Tags;

/// <summary>What the streams of a plan have got so far.</summary>
internal sealed class TagStreams
{
    private readonly int[] _left;
    private readonly long[] _last = new long[TagPlan.Streams];
    private readonly TaskCompletionSource _done = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private int _unfinished = TagPlan.Streams;

    /// <param name="plan">Which streams.</param>
    /// <param name="after">The ordering behind which they begin.</param>
    /// <param name="events">The events of the plan that are behind it, or will be: the place of the first, and how many.</param>
    internal TagStreams(TagPlan plan, long after, (int First, int Count) events)
    {
        (Plan, After) = (plan, after);
        _left = [.. Enumerable.Range(0, TagPlan.Streams).Select(stream => plan.Expected(stream, events.First, events.Count))];
    }

    internal TagPlan Plan { get; }

    internal long After { get; }

    /// <summary>Ends when all have all.</summary>
    internal Task Done => _done.Task;

    /// <summary>An event arrived. Each stream calls it from one thread at a time.</summary>
    internal void Arrived(int stream, long ordering)
    {
        if (ordering <= _last[stream] || _left[stream] == 0)
            Failed(new InvalidOperationException($"Stream {stream} got ordering {ordering} behind {_last[stream]}, {_left[stream]} before its end."));
        _last[stream] = ordering;
        if (--_left[stream] == 0 && Interlocked.Decrement(ref _unfinished) == 0)
            _done.TrySetResult();
    }

    internal void Failed(Exception error) => _done.TrySetException(error);
}
