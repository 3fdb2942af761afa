using System.Diagnostics;

namespace Throttled.Benchmarks.Delivery;

/// <summary>The times at which events were committed, and at which they arrived at the queries.</summary>
/// <param name="mix">Says how many queries get each event.</param>
internal sealed class Arrivals(Mix mix, int events)
{
    // If nothing arrives for this long, an event was lost.
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

    /// <summary>Waits until all arrivals of some more events are complete.</summary>
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
    /// <param name="kind">The kind of query; null for all kinds.</param>
    internal double[] Times(Range written, string? kind)
    {
        if (_arrived != _expected)
            throw new InvalidOperationException($"{_arrived:N0} events arrived; {_expected:N0} were expected.");
        var (first, count) = written.GetOffsetAndLength(events);
        // An event can arrive before its append call has returned.
        return [.. _queries.Where(query => kind is null || query.Kind == kind).SelectMany(query => query.Arrived)
            .Where(one => one.Place >= first && one.Place < first + count)
            .Select(one => Math.Max(0, Stopwatch.GetElapsedTime(_committed[one.Place], one.At).TotalMilliseconds))
            .Order()];
    }

    /// <summary>Waits until all queries have ended, after their reader was disposed.</summary>
    internal async Task EndAsync()
    {
        foreach (var query in _queries)
            await query.Reading.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
    }
}

/// <summary>A live query that records what arrives.</summary>
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
