using System.Diagnostics;

namespace Throttled.Benchmarks.Delivery;

/// <summary>When events were committed, and when they arrived where they are wanted.</summary>
/// <param name="mix">How often each event is wanted.</param>
/// <param name="events">How many will be written.</param>
internal sealed class Arrivals(Mix mix, int events)
{
    // With nothing delivered for so long, something was lost.
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(30);

    private readonly long[] _committed = new long[events];
    private readonly List<TimedQuery> _queries = [];
    private long _arrived;
    private long _expected;

    internal void Committed(int place) => Volatile.Write(ref _committed[place], Stopwatch.GetTimestamp());

    internal TimedQuery Of<T>(string kind, IAsyncEnumerable<T> items, Func<T, int?> place)
    {
        var query = new TimedQuery(kind, () => Interlocked.Increment(ref _arrived));
        query.Start(items, place);
        _queries.Add(query);
        return query;
    }

    /// <summary>Waits until all have arrived that are to come of some more events.</summary>
    internal async Task WaitAsync(Range written)
    {
        var (first, count) = written.GetOffsetAndLength(events);
        for (var place = first; place < first + count; place++)
            _expected += mix.Expected(place);
        for (var waited = Stopwatch.StartNew(); Volatile.Read(ref _arrived) < _expected; await Task.Delay(5))
        {
            if (_queries.Find(query => query.Reading.IsFaulted) is { } failed)
                await failed.Reading;
            if (waited.Elapsed > Patience)
                throw new InvalidOperationException($"{_arrived:N0} events arrived of {_expected:N0}.");
        }
    }

    /// <summary>The times from commit to arrival of some events, in milliseconds, ascending.</summary>
    /// <param name="written">Which events.</param>
    /// <param name="kind">At which queries; at all where null.</param>
    internal double[] Times(Range written, string? kind)
    {
        if (_arrived != _expected)
            throw new InvalidOperationException($"{_arrived:N0} events arrived; {_expected:N0} were expected.");
        var (first, count) = written.GetOffsetAndLength(events);
        // An event can arrive before its writer has heard of its own commit.
        return [.. _queries.Where(query => kind is null || query.Kind == kind).SelectMany(query => query.Arrived)
            .Where(one => one.Place >= first && one.Place < first + count)
            .Select(one => Math.Max(0, Stopwatch.GetElapsedTime(_committed[one.Place], one.At).TotalMilliseconds))
            .Order()];
    }

    /// <summary>Waits for the ends of all queries, whose reader was disposed.</summary>
    internal async Task EndAsync()
    {
        foreach (var query in _queries)
            await query.Reading.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
    }
}

/// <summary>One live query that notes what arrives.</summary>
/// <param name="kind">What it asks for.</param>
/// <param name="arrived">Called for each of the events that are timed.</param>
internal sealed class TimedQuery(string kind, Action arrived)
{
    internal string Kind => kind;

    internal List<(int Place, long At)> Arrived { get; } = [];

    internal Task Reading { get; private set; } = Task.CompletedTask;

    internal void Start<T>(IAsyncEnumerable<T> items, Func<T, int?> place) => Reading = ReadAsync(items, place);

    private async Task ReadAsync<T>(IAsyncEnumerable<T> items, Func<T, int?> place)
    {
        await foreach (var item in items)
        {
            if (place(item) is not { } written)
                continue;
            Arrived.Add((written, Stopwatch.GetTimestamp()));
            arrived();
        }
    }
}
