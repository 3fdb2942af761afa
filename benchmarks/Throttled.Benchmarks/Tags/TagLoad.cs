using CrushTest.Databases;
using Throttled.Benchmarks.Writing;
using Throttled.Journal;
using Throttled.Testing;

namespace Throttled.Benchmarks.Tags;

/// <summary>The load of a user's report: 35 projections by tag, and 2,000 events in a few seconds.</summary>
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
            // Its own work would count among that of the readers.
            using var server = PostgreSqlServer.Start(settings: new Dictionary<string, string> { ["autovacuum"] = "off" });
            foreach (var mode in new[] { TagMode.TagTable, TagMode.Csv })
                table.AddRange(await MeasureAsync(server.CreateDatabase(), mode, (others, tagged)));
        }
        Results.Write(
            "tags.md",
            "Live queries by tag",
            $"{TagPlan.Streams} live queries by tag, {tagged:N0} tagged events among {others:N0} others. Catch up: all from the first\n"
            + "event. Follow: as many tagged events again are written, 500 a second, each in a transaction of its own. Beside the\n"
            + "engine a poller for each query, as Akka.Persistence.Sql of October 2024 has it, on the same tables and indexes, every\n"
            + $"second, its connections open already. {Rounds} rounds of each in turn, medians, without the work of the writers. Time to the\n"
            + "last event at the last query; following, from the last commit. `./build.sh bench tags`",
            table);
    }

    private static IEnumerable<string> Head()
    {
        yield return "| database | tags in | queries on | | who | seconds | rows read, for each tagged event | index entries, for each | "
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
            // What there is without any reader is taken off.
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
        // A file has no server that counts.
        return journal.IsSqlite
            ? $"{seconds} | | | {Median(one => one.Statements):N0} | |"
            : $"{seconds} | {Median(one => one.Load.Rows) / tagged:N1} | {Median(one => one.Load.Entries) / tagged:N1} | "
                + $"{Median(one => one.Load.Transactions):N0} | {Median(one => one.Load.Cpu):N2} |";

        double Median(Func<TagFigures, double> figure) => Figures.Median(rounds.Select(figure));
    }
}
