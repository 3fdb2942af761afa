using Throttled.Benchmarks.Tags;
using Throttled.Benchmarks.Writing;
using Throttled.Testing;

namespace Throttled.Benchmarks.Growth;

/// <summary>Measures what grows with the number of tags that are followed at once, with one live query for each tag, on PostgreSQL.</summary>
internal static class TagGrowth
{
    internal static async Task RunAsync(string[] arguments, bool isBeside)
    {
        var given = Figures.Arguments(arguments, ("most", 1_000), ("tagged", 4_000), ("others", 200_000));
        var (most, tagged, others) = (given[0], given[1], given[2]);
        LiveQueries.RequirePostgreSql();
        // The existing plugin opens a connection for each of its 100 permits, besides those of writers and of its sequence actor.
        using var server = PostgreSqlServer.Start(maxConnections: 300, settings: new Dictionary<string, string> { ["autovacuum"] = "off" });
        var connection = server.CreateDatabase();
        TagPlan[] plans = [.. Counts(most).Select(count => new TagPlan($"{count:N0}", $"of{count}", count, count))];
        var journal = await OwnJournal.CreateAsync(connection, JournalTables.Default, TagPlan.Spread(plans, TagLoad.Others(others), tagged));
        await using var load = await ServerLoad.OpenAsync(connection);
        // The first run includes the compilation of the code.
        await new TagRun(journal, load, plans[0], tagged).CatchUpAsync(new EngineReaders(journal));
        List<string> table =
        [
            "| tags | reader | catch up, s | statements | rows read, for each event | server's CPU, s | B allocated per event | follow, s | following: statements | following: rows read, for each event | following: server's CPU with writers, s |",
            "|---:|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|",
        ];
        foreach (var plan in plans)
        {
            var run = new TagRun(journal, load, plan, tagged);
            Console.WriteLine($"{plan.Name} tags …");
            var nobody = (CatchUp: (await run.CatchUpAsync(new NoReaders())).Load, Follow: (await run.FollowAsync(new NoReaders())).Load);
            table.Add($"| {plan.Name} | none | | | | | | | | | {nobody.Follow.Cpu:N2} |");
            table.Add(await RowAsync("Throttled", () => new EngineReaders(journal)));
            if (isBeside)
                table.Add(await RowAsync("Akka.Persistence.Sql", () => new ExistingReaders(journal)));

            async Task<string> RowAsync(string name, Func<ITagReaders> open)
            {
                var catchUp = TagLoad.Without(nobody.CatchUp, await run.CatchUpAsync(open()));
                var withWriters = await run.FollowAsync(open());
                var follow = TagLoad.Without(nobody.Follow, withWriters);
                var row = $"| {plan.Name} | {name} | {catchUp.Seconds:N3} | {Work(catchUp.Load)} | {catchUp.Load.Cpu:N2} | {(double)catchUp.Allocated / tagged:N0} "
                    + $"| {follow.Seconds:N3} | {Work(follow.Load)} | {withWriters.Load.Cpu:N2} |";
                Console.WriteLine(row);
                return row;
            }
        }
        Results.Write(
            "growth-tags.md",
            "The number of tags",
            $"One live query for each tag on PostgreSQL, tags in a table. The same {tagged:N0} tagged events, divided among the tags, lie among {others:N0} others. Catch up:\n"
            + "all queries from the first event to the last. Follow: as many events are written, 500 a second, each in its own transaction; seconds from the last\n"
            + "commit to the last event. Statements, rows and processor time are the server's own figures, without those of the writers. Only the last column\n"
            + "includes the writers, because their time differs between runs. The rows \"none\" have no readers. Akka.Persistence.Sql has its\n"
            + "default page and interval of 1 s, 100 permits and a time-out of an hour; this engine has its defaults (200 ms). One round of each.\n"
            + "`./build.sh bench growth tags --beside Akka.Persistence.Sql`",
            table);

        string Work(Load one) => $"{one.Transactions:N0} | {one.Rows / tagged:N1}";
    }

    private static IEnumerable<int> Counts(int most)
    {
        for (var count = 1; count < most; count *= 10)
            yield return count;
        yield return most;
    }
}
