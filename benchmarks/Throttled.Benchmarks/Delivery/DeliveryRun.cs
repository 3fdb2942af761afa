using System.Diagnostics;
using CrushTest.Engine;
using Throttled.Benchmarks.Writing;
using Throttled.Journal;

namespace Throttled.Benchmarks.Delivery;

/// <summary>How much to write.</summary>
/// <param name="Steady">Events at a steady pace that are timed.</param>
/// <param name="Singles">Events one by one, each after a pause.</param>
internal sealed record Written(int Steady, int Singles)
{
    internal const int PerSecond = 1_000;

    /// <summary>Events at the same pace before, not timed.</summary>
    internal int Warm => Math.Min(Steady, 5 * PerSecond);

    internal int All => Warm + Steady + Singles;
}

/// <summary>What one run found.</summary>
/// <param name="ByKind">Times of steady writes at each kind of query, in milliseconds, ascending.</param>
/// <param name="Steady">The same at all of them.</param>
/// <param name="AfterIdle">Times of events after a pause.</param>
/// <param name="StatementsPerSecond">While it was written steadily.</param>
/// <param name="WrittenPerSecond">What the writers came to.</param>
internal sealed record DeliveryFigures(
    IReadOnlyDictionary<string, double[]> ByKind, double[] Steady, double[] AfterIdle, double StatementsPerSecond, double WrittenPerSecond);

/// <summary>Live queries that follow, events at a steady pace, then events one by one.</summary>
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

    // Queries of persistence ids are counted as following too.
    private static async Task FollowAsync(Measures measures, List<TimedQuery> queries)
    {
        for (var waited = Stopwatch.StartNew(); measures.Following < queries.Count; await Task.Delay(50))
        {
            if (queries.Find(query => query.Reading.IsFaulted) is { } failed)
                await failed.Reading;
            if (waited.Elapsed > Patience)
                throw new InvalidOperationException($"{measures.Following:N0} of {queries.Count:N0} queries came to follow.");
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

    // Longer than the tail takes to come to its slowest pace, and never in step with it.
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
