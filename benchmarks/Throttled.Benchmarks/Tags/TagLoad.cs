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
    private const int Streams = 35;

    private static readonly string[] Phases = ["catch up", "follow"];
    private static readonly TagPlan[] Plans = [new("one tag", "shared", 1, Streams), new($"{Streams} tags", "own", Streams, Streams)];

    internal static async Task RunAsync(string[] size, bool isBeside)
    {
        var given = Figures.Arguments(size, ("others", 1_000_000), ("tagged", 2_000));
        var (others, tagged) = (given[0], given[1]);
        List<string> table = [.. Head()];
        foreach (var mode in new[] { TagMode.TagTable, TagMode.Csv })
            table.AddRange(await MeasureAsync(connection: null, mode, (others, tagged), isBeside));
        if (PostgreSqlServer.IsInstalled)
        {
            // The work of autovacuum would count as work of the readers.
            using var server = PostgreSqlServer.Start(settings: new Dictionary<string, string> { ["autovacuum"] = "off" });
            foreach (var mode in new[] { TagMode.TagTable, TagMode.Csv })
                table.AddRange(await MeasureAsync(server.CreateDatabase(), mode, (others, tagged), isBeside));
        }
        Results.Write(
            "tags.md",
            "Live queries by tag",
            $"{Streams} live queries by tag, {tagged:N0} tagged events among {others:N0} others. Catch up: all queries from the first\n"
            + "event. Follow: the same number of tagged events is written, 500 per second, each in its own transaction. To compare with\n"
            + "the engine, each query has a poller, as in Akka.Persistence.Sql of October 2024, on the same tables and indexes, every\n"
            + $"second, with open connections. {Rounds} rounds of each in turn, medians, without the work of the writers. The time is to the\n"
            + "last event at the last query; when following, from the last commit. With `--beside`, Akka.Persistence.Sql reads the same on PostgreSQL, with its\n"
            + "default page and interval and a time-out of an hour. `./build.sh bench tags`",
            table);
    }

    private static IEnumerable<string> Head()
    {
        yield return "| database | tags in | queries on | | reader | seconds | rows read, for each tagged event | index entries, for each | "
            + "statements | server's CPU, s |";
        yield return "|---|---|---|---|---|---:|---:|---:|---:|---:|";
    }

    private static async Task<List<string>> MeasureAsync(string? connection, TagMode mode, (int Others, int Tagged) size, bool isBeside)
    {
        var tables = JournalTables.Default with { TagMode = mode };
        var journal = await OwnJournal.CreateAsync(connection, tables, TagPlan.Spread(Plans, Others(size.Others), size.Tagged));
        await using var server = connection is null ? null : await ServerLoad.OpenAsync(connection);
        List<string> rows = [];
        foreach (var plan in Plans)
        {
            Console.WriteLine($"{journal.Name}, {mode}, {plan.Name} …");
            var run = new TagRun(journal, server, plan, size.Tagged);
            foreach (var phase in Phases)
            {
                var start = $"| {journal.Name} | {(mode == TagMode.Csv ? "a column" : "a table")} | {plan.Name} | {phase}";
                rows.AddRange(await PhaseAsync(phase == Phases[0] ? run.CatchUpAsync : run.FollowAsync, journal, start, (size.Tagged, isBeside)));
            }
        }
        return rows;
    }

    private static async Task<IEnumerable<string>> PhaseAsync(
        Func<ITagReaders, Task<TagFigures>> run, OwnJournal journal, string start, (int Tagged, bool IsBeside) what)
    {
        List<TagFigures> pollers = [], engine = [], existing = [];
        for (var round = 1; round <= Rounds; round++)
        {
            // The load without any reader is subtracted.
            var nobody = (await run(new NoReaders())).Load;
            pollers.Add(Without(nobody, await run(new Pollers(journal, Streams))));
            engine.Add(Without(nobody, await run(new EngineReaders(journal))));
            // On SQLite, its transactions take the write lock, so it would wait for the writers.
            if (what.IsBeside && !journal.IsSqlite)
                existing.Add(Without(nobody, await run(new ExistingReaders(journal))));
        }
        var figures = new[] { ("pollers", pollers), ("engine", engine), ("Akka.Persistence.Sql", existing) };
        string[] text = [.. figures.Where(each => each.Item2.Count > 0).Select(each => Row($"{start} | {each.Item1}", each.Item2, journal, what.Tagged))];
        Array.ForEach(text, Console.WriteLine);
        return text;
    }

    internal static JournalEvent[] Others(int count) =>
        [.. CrushEvents.All(CrushPayload.Deposits, CrushEvents.Ids(Math.Max(1, count / EventsOfEach)), EventsOfEach)];

    internal static TagFigures Without(Load nobody, TagFigures figures) => figures with { Load = figures.Load - nobody };

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
