using CrushTest.Databases;
using CrushTest.Engine;
using CrushTest.Settings;
using Throttled.Benchmarks.Shards;

namespace Throttled.Benchmarks.Observed;

/// <summary>The times of one round: the floor, live queries that nothing observes, and the same with <see cref="Observers"/>.</summary>
internal sealed record ObservedRound(RoundTime Floor, RoundTime Alone, RoundTime Observed);

/// <summary>
/// Measures what telemetry and the page cost. Live queries read to their last event, in one process, in turn with and without observers. The processor time
/// is that of the whole process, so it includes the viewer of the page.
/// </summary>
internal static class ObservedCost
{
    internal static async Task RunAsync(string[] size)
    {
        var given = Figures.Arguments(size, ("streams", 100_000), ("events", 100), ("rounds", 5));
        var (streams, events, rounds) = (given[0], given[1], given[2]);
        List<string> table =
        [
            "| database | alone, time over floor | observed, time over floor | observed ÷ alone, time: median (least, most) | observed ÷ alone, processor time: median (least, most) | exports of metrics | activities | statuses to the viewer |",
            "|---|---:|---:|---:|---:|---:|---:|---:|",
        ];
        await LiveQueries.OnEachAsync(async (database, connection) =>
            table.Add(await MeasureAsync(LiveQueries.Settings(database, streams, connection) with { Events = events }, rounds)));
        Results.Write(
            "observed.md",
            "The cost of telemetry and of the page",
            $"{streams:N0} live queries run at once on {events:N0} events each, to the last event, with 100 permits. Observed: the SDK of OpenTelemetry has a meter\n"
            + "provider and a tracer provider with AddThrottledInstrumentation and exports each second, to memory; and one viewer reads the page's live figures,\n"
            + $"in the same process. Each of {rounds} rounds runs the floor, then both, in alternating order; the ratios are those of a round.\n"
            + "PostgreSQL 15 or later with fsync off, which does not affect reading. `./build.sh bench observed`",
            table);
    }

    private static async Task<string> MeasureAsync(CrushSettings settings, int rounds)
    {
        var (journal, ids) = (CrushJournal.Open(settings), CrushEvents.Ids(settings.Streams));
        await new Seeding(settings, journal).RunAsync(ids, CancellationToken.None);
        await using var reader = journal.OpenReader(new() { MaxConcurrentQueries = settings.Permits });
        List<ObservedRound> all = [];
        (int Exports, long Activities, int Views) counts = default;
        // The first round is a warm-up: it opens connections, and compiles the code.
        for (var round = 0; round <= rounds; round++)
        {
            var floor = await TimeAsync(settings, () => journal.OpenFloor(new(ids, settings.Page, settings.Permits)).ReadAllAsync(CancellationToken.None));
            var before = round % 2 == 0 ? await TimeAsync(settings, ReadAsync) : null;
            var observed = await ObservedAsync();
            var one = new ObservedRound(floor, before ?? await TimeAsync(settings, ReadAsync), observed);
            Console.WriteLine($"{journal.Name}, round {round} of {rounds}: {one.Floor.Seconds:N2} s the floor, {one.Alone.Seconds:N2} s alone, {one.Observed.Seconds:N2} s observed");
            if (round > 0)
                all.Add(one);
        }
        if (counts is not { Exports: > 0, Activities: > 0, Views: > 0 })
            throw new InvalidOperationException($"Not all observers were there: {counts}.");
        return $"| {journal.Name} | {Figures.Median(all.Select(each => each.Alone.Seconds / each.Floor.Seconds)):N2} × "
            + $"| {Figures.Median(all.Select(each => each.Observed.Seconds / each.Floor.Seconds)):N2} × "
            + $"| {Spread(all.Select(each => each.Observed.Seconds / each.Alone.Seconds))} | {Spread(all.Select(each => each.Observed.Cpu / each.Alone.Cpu))} "
            + $"| {counts.Exports:N0} | {counts.Activities:N0} | {counts.Views:N0} |";

        Task<long> ReadAsync() => ShardReads.ReadAsync(ids, settings.Events, id => reader.EventsByPersistenceId(id));

        async Task<RoundTime> ObservedAsync()
        {
            var observers = await Observers.StartAsync();
            RoundTime time;
            await using (observers)
                time = await TimeAsync(settings, ReadAsync);
            // The providers export what is left when they end.
            var (exports, activities, views) = observers.Counts;
            counts = (counts.Exports + exports, counts.Activities + activities, counts.Views + views);
            return time;
        }
    }

    private static async Task<RoundTime> TimeAsync(CrushSettings settings, Func<Task<long>> read)
    {
        GC.Collect();
        var count = 0L;
        var time = await RoundTime.MeasureAsync(async () => count = await Task.Run(read));
        return count == settings.AllEvents ? time : throw new InvalidOperationException($"{count:N0} events came; there are {settings.AllEvents:N0}.");
    }

    private static string Spread(IEnumerable<double> ratios)
    {
        double[] all = [.. ratios];
        return $"{Figures.Median(all):N3} ({all.Min():N3}, {all.Max():N3})";
    }
}
