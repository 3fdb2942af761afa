using System.Diagnostics;
using CrushTest.Databases;
using CrushTest.Engine;
using CrushTest.Settings;

namespace Throttled.Benchmarks.Replay;

/// <summary>Compares a replay of all events with a raw scan; then measures it beside live queries that catch up on the same journal.</summary>
internal static class ReplayRate
{
    private const int Rounds = 3;
    private const int EventsOfEach = 100;

    internal static async Task RunAsync(string[] size, bool isBeside)
    {
        var streams = Math.Max(1, Figures.Arguments(size, ("events", 10_000_000))[0] / EventsOfEach);
        List<ReplayFigures> figures = [];
        Task<ReplayFigures> OfAsync(string database, string? connection) =>
            MeasureAsync(LiveQueries.Settings(database, streams, connection) with { Events = EventsOfEach }, isBeside);

        await LiveQueries.OnEachAsync(async (database, connection) => figures.Add(await OfAsync(database, connection)));
        await LiveQueries.OnHugePagesAsync(async (database, connection) =>
        {
            var one = await OfAsync(database, connection);
            figures.Add(one with { Database = LiveQueries.NameWithHugePages(one.Database) });
        });
        Results.Write(
            "replay.md",
            "A replay of all events",
            $"One CurrentAllEvents over {(long)streams * EventsOfEach:N0} events. The floor is one statement over the same rows in the same order\n"
            + $"by the bare driver, in the same run: {Rounds} rounds of each in turn, medians. Beside the crush: replays run one after another\n"
            + $"while {streams:N0} live queries by persistence id catch up on the same journal through the same reader. PostgreSQL\n"
            + "has fsync off, which does not affect reading. Huge pages: `huge_pages` is on (else off), with 200 pages of 2 MB (`vm.nr_hugepages`).\n"
            + "`./build.sh bench replay`"
            + (isBeside ? "\n\nThe second table has a stream of CurrentAllEvents of each plugin, with decoded events, the median of the same rounds. Both begin with pages of 500; Throttled's grow to 8,192 rows." : ""),
            [.. Table(figures), .. isBeside ? StreamReplays.Table(figures.Select(one => (one.Database, one.Streams!))) : []]);
    }

    private static IEnumerable<string> Table(List<ReplayFigures> figures)
    {
        yield return "| database | floor, rows/s | replay, rows/s | share of the floor | B allocated per event beside its payload, floor / replay | "
            + "beside the crush, share of alone | time of the crush, beside the replay / alone |";
        yield return "|---|---:|---:|---:|---:|---:|---:|";
        foreach (var one in figures)
        {
            yield return $"| {one.Database} | {one.Floor.Rate:N0} | {one.Replay.Rate:N0} | {one.Replay.Rate / one.Floor.Rate:N2} | "
                + $"{one.Floor.Allocated:N0} / {one.Replay.Allocated:N0} | {one.BesideRate / one.Replay.Rate:P0} | "
                + $"{one.CrushBeside / one.CrushAlone:N2} × |";
        }
    }

    private static async Task<ReplayFigures> MeasureAsync(CrushSettings settings, bool isBeside)
    {
        var database = CrushJournal.Open(settings);
        var ids = CrushEvents.Ids(settings.Streams);
        Console.WriteLine($"{database.Name}: {settings.AllEvents:N0} events …");
        await new Seeding(settings, database).RunAsync(ids, CancellationToken.None);
        Func<Task<long>> scan = () => Scans.Of(settings, database.Databases[0].Tables).ReadAllAsync(), replay = () => ReplayAsync(settings, database);
        List<double> floors = [], replays = [];
        List<(double Alone, double Beside, double Rate)> crushes = [];
        for (var round = 1; round <= Rounds; round++)
        {
            floors.Add(await RateAsync(settings, scan));
            replays.Add(await RateAsync(settings, replay));
            var (alone, _) = await CrushAsync(settings, database, ids, isBesideReplay: false);
            var (beside, delivered) = await CrushAsync(settings, database, ids, isBesideReplay: true);
            crushes.Add((alone, beside, delivered / beside));
            Console.WriteLine($"  floor {floors[^1]:N0}/s, replay {replays[^1]:N0}/s, crush {alone:N2} s; beside: {crushes[^1].Rate:N0}/s, {beside:N2} s");
        }
        var streams = isBeside ? await StreamReplays.MeasureAsync(settings, database, Rounds) : null;
        return new(
            database.Name,
            streams,
            new(Figures.Median(floors), await AllocatedAsync(settings, scan)),
            new(Figures.Median(replays), await AllocatedAsync(settings, replay)),
            Figures.Median(crushes.Select(one => one.Rate)),
            Figures.Median(crushes.Select(one => one.Alone)),
            Figures.Median(crushes.Select(one => one.Beside)));
    }

    private static async Task<long> ReplayAsync(CrushSettings settings, CrushJournal database)
    {
        await using var reader = database.OpenReader(new JournalOptions());
        var replays = new Replays(reader, settings.AllEvents);
        await replays.OnceAsync();
        return replays.Delivered;
    }

    /// <returns>Rows per second.</returns>
    private static async Task<double> RateAsync(CrushSettings settings, Func<Task<long>> read)
    {
        GC.Collect();
        var watch = Stopwatch.StartNew();
        var rows = await Task.Run(read);
        return rows == settings.AllEvents
            ? rows / watch.Elapsed.TotalSeconds
            : throw new InvalidOperationException($"{rows:N0} rows were read; there are {settings.AllEvents:N0}.");
    }

    // A separate pass, because the collector's events take time.
    private static async Task<double> AllocatedAsync(CrushSettings settings, Func<Task<long>> read)
    {
        using var count = new AllocationCount();
        var rows = await Task.Run(read);
        return ((double)count.Bytes / rows) - CrushEvents.OnHeap(CrushPayload.Deposits);
    }

    /// <returns>The seconds until every live query had its last event, and the number of events replayed meanwhile.</returns>
    private static async Task<(double Seconds, long Replayed)> CrushAsync(
        CrushSettings settings, CrushJournal database, string[] ids, bool isBesideReplay)
    {
        GC.Collect();
        using var end = new CancellationTokenSource();
        await using var round = new EngineRound(settings, database, ids, static (_, _) => { });
        var replays = new Replays(round.Reader, settings.AllEvents);
        var replaying = isBesideReplay ? Task.Run(() => replays.ForeverAsync(end.Token)) : Task.CompletedTask;
        var time = await Task.Run(() => round.RunAsync(CancellationToken.None));
        var replayed = replays.Delivered;
        await end.CancelAsync();
        await replaying;
        if (round.Tally.Flaws is { FailedQueries: > 0 } or { Missing: > 0 } or { Doubled: > 0 } or { OutOfOrder: > 0 })
            throw new InvalidOperationException($"The crush went wrong: {round.Tally.Flaws.FirstFailure}");
        return (time.Seconds, replayed);
    }

    /// <param name="Rate">Rows per second.</param>
    /// <param name="Allocated">Bytes per row, besides its payload.</param>
    private sealed record Pass(double Rate, double Allocated);

    private sealed record ReplayFigures(string Database, StreamFigures? Streams, Pass Floor, Pass Replay, double BesideRate, double CrushAlone, double CrushBeside);
}
