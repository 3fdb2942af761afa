using CrushTest.Databases;
using Throttled.Benchmarks.Writing;
using Throttled.Testing;

namespace Throttled.Benchmarks.Tags;

/// <summary>Measures the load that a user reported: 35 projections by tag, and 2,000 events in a few seconds.</summary>
// https://github.com/akkadotnet/Akka.Persistence.Sql/issues/420
internal static class TagLoad
{
    private const int Rounds = 3;
    private const int EventsOfEach = 100;

    private static readonly string[] Phases = ["catch up", "follow"];

    internal static async Task RunAsync(string[] size)
    {
        var (others, tagged) = (Figures.Argument(size, 0, 1_000_000), Figures.Argument(size, 1, 2_000));
        List<string> table = [.. Head()];
        foreach (var mode in new[] { TagMode.TagTable, TagMode.Csv })
            table.AddRange(await MeasureAsync(connection: null, mode, (others, tagged)));
        if (PostgreSqlServer.IsInstalled)
        {
            // The work of autovacuum would count as work of the readers.
            using var server = PostgreSqlServer.Start(settings: new Dictionary<string, string> { ["autovacuum"] = "off" });
            foreach (var mode in new[] { TagMode.TagTable, TagMode.Csv })
                table.AddRange(await MeasureAsync(server.CreateDatabase(), mode, (others, tagged)));
        }
        Results.Write(
            "tags.md",
            "Live queries by tag",
            $"{TagPlan.Streams} live queries by tag, {tagged:N0} tagged events among {others:N0} others. Catch up: all queries from the first\n"
            + "event. Follow: the same number of tagged events is written, 500 per second, each in its own transaction. To compare with\n"
            + "the engine, each query has a poller, as in Akka.Persistence.Sql of October 2024, on the same tables and indexes, every\n"
            + $"second, with open connections. {Rounds} rounds of each in turn, medians, without the work of the writers. The time is to the\n"
            + "last event at the last query; when following, from the last commit. `./build.sh bench tags`",
            table);
    }

    private static IEnumerable<string> Head()
    {
        yield return "| database | tags in | queries on | | reader | seconds | rows read, for each tagged event | index entries, for each | "
            + "statements | server's CPU, s |";
        yield return "|---|---|---|---|---|---:|---:|---:|---:|---:|";
    }

    private static async Task<List<string>> MeasureAsync(string? connection, TagMode mode, (int Others, int Tagged) size)
    {
        var tables = JournalTables.Default with { TagMode = mode };
        JournalEvent[] others = [.. CrushEvents.All(CrushPayload.Deposits, CrushEvents.Ids(Math.Max(1, size.Others / EventsOfEach)), EventsOfEach)];
        var journal = await OwnJournal.CreateAsync(connection, tables, TagPlan.Spread(others, size.Tagged));
        await using var server = connection is null ? null : await ServerLoad.OpenAsync(connection);
        List<string> rows = [];
        foreach (var plan in TagPlan.Both)
        {
            Console.WriteLine($"{journal.Name}, {mode}, {plan.Name} …");
            var run = new TagRun(journal, server, plan, size.Tagged);
            foreach (var phase in Phases)
            {
                var start = $"| {journal.Name} | {(mode == TagMode.Csv ? "a column" : "a table")} | {plan.Name} | {phase}";
                rows.AddRange(await PhaseAsync(phase == Phases[0] ? run.CatchUpAsync : run.FollowAsync, journal, start, size.Tagged));
            }
        }
        return rows;
    }

    private static async Task<IEnumerable<string>> PhaseAsync(
        Func<ITagReaders, Task<TagFigures>> run, OwnJournal journal, string start, int tagged)
    {
        List<TagFigures> pollers = [], engine = [];
        for (var round = 1; round <= Rounds; round++)
        {
            // The load without any reader is subtracted.
            var nobody = (await run(new NoReaders())).Load;
            pollers.Add(Without(nobody, await run(new Pollers(journal))));
            engine.Add(Without(nobody, await run(new EngineReaders(journal))));
        }
        var text = new[] { Row($"{start} | pollers", pollers, journal, tagged), Row($"{start} | engine", engine, journal, tagged) };
        Array.ForEach(text, Console.WriteLine);
        return text;
    }

    private static TagFigures Without(Load nobody, TagFigures figures) => figures with { Load = figures.Load - nobody };

    private static string Row(string start, List<TagFigures> rounds, OwnJournal journal, int tagged)
    {
        var seconds = $"{start} | {Median(one => one.Seconds):N2}";
        // SQLite has no server that counts its work.
        return journal.IsSqlite
            ? $"{seconds} | | | {Median(one => one.Statements):N0} | |"
            : $"{seconds} | {Median(one => one.Load.Rows) / tagged:N1} | {Median(one => one.Load.Entries) / tagged:N1} | "
                + $"{Median(one => one.Load.Transactions):N0} | {Median(one => one.Load.Cpu):N2} |";

        double Median(Func<TagFigures, double> figure) => Figures.Median(rounds.Select(figure));
    }
}
