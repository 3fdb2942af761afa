using System.Diagnostics;
using CrushTest.Engine;
using Throttled.Benchmarks.Writing;

namespace Throttled.Benchmarks.Delivery;

/// <summary>The number of events to write.</summary>
/// <param name="Steady">Timed events at a steady rate.</param>
/// <param name="Singles">Single events, each after a pause.</param>
internal sealed record Written(int Steady, int Singles)
{
    internal const int PerSecond = 1_000;

    /// <summary>Events at the same rate before the timed ones.</summary>
    internal int Warm => Math.Min(Steady, 5 * PerSecond);

    internal int All => Warm + Steady + Singles;
}

/// <summary>The figures of one run.</summary>
/// <param name="ByKind">Times of the steady events for each kind of query, in milliseconds, ascending.</param>
/// <param name="Steady">The same times over all queries.</param>
/// <param name="AfterIdle">Times of events after a pause.</param>
/// <param name="StatementsPerSecond">Statements during the steady events.</param>
/// <param name="WrittenPerSecond">The rate that the writers reached.</param>
internal sealed record DeliveryFigures(
    IReadOnlyDictionary<string, double[]> ByKind, double[] Steady, double[] AfterIdle, double StatementsPerSecond, double WrittenPerSecond);

/// <summary>Live queries that have caught up, then events at a steady rate, then single events.</summary>
internal sealed class DeliveryRun(OwnJournal journal, Mix mix, Written written)
{
    internal const int EventsBefore = 10;

    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(120);

    private readonly Arrivals _arrivals = new(mix, written.All);
    private readonly JournalEvent[] _events = [.. Enumerable.Range(0, written.All).Select(place => mix.Event(place, EventsBefore))];

    internal async Task<DeliveryFigures> RunAsync(bool notify)
    {
        using var measures = new Measures();
        await using var writers = new SteadyWriters(journal);
        DeliveryFigures figures;
        await using (var reader = journal.OpenReader(new JournalOptions { Notify = notify }))
        {
            var queries = mix.Open(reader, _arrivals).ToList();
            await FollowAsync(measures, queries);
            figures = await MeasureAsync(writers, measures, queries.Select(query => query.Kind).Distinct());
        }
        await _arrivals.EndAsync();
        return figures;
    }

    // Queries of persistence ids count as following too.
    internal static async Task FollowAsync(Measures measures, List<TimedQuery> queries)
    {
        for (var waited = Stopwatch.StartNew(); measures.Following < queries.Count; await Task.Delay(50))
        {
            if (queries.Find(query => query.Reading.IsFaulted) is { } failed)
                await failed.Reading;
            if (waited.Elapsed > Patience)
                throw new InvalidOperationException($"{measures.Following:N0} of {queries.Count:N0} queries have caught up.");
        }
    }

    private async Task<DeliveryFigures> MeasureAsync(SteadyWriters writers, Measures measures, IEnumerable<string> kinds)
    {
        await WriteAsync(writers, ..written.Warm);
        var (statements, watch) = (measures.Statements, Stopwatch.StartNew());
        var steady = written.Warm..(written.Warm + written.Steady);
        await WriteAsync(writers, steady);
        var seconds = watch.Elapsed.TotalSeconds;
        statements = measures.Statements - statements;
        await SinglesAsync(writers);
        return new(
            kinds.ToDictionary(kind => kind, kind => _arrivals.Times(steady, kind)),
            _arrivals.Times(steady, kind: null),
            _arrivals.Times(steady.End.., kind: null),
            statements / seconds,
            written.Steady / seconds);
    }

    // The pause is longer than the tail needs to reach its slowest polling, and random, so that it never runs in step with the polls.
    private async Task SinglesAsync(SteadyWriters writers)
    {
        for (var place = written.Warm + written.Steady; place < written.All; place++)
        {
            await Task.Delay(Random.Shared.Next(600, 1_200));
            await WriteAsync(writers, place..(place + 1));
        }
    }

    private async Task WriteAsync(SteadyWriters writers, Range places)
    {
        var first = places.Start.Value;
        await writers.RunAsync(_events[places], Written.PerSecond, place => _arrivals.Committed(first + place));
        await _arrivals.WaitAsync(places);
    }
}
