using CrushTest.Settings;
using Throttled.Benchmarks;
using Throttled.Benchmarks.Accounts;
using Throttled.Benchmarks.Delivery;
using Throttled.Benchmarks.Nodes;
using Throttled.Benchmarks.Pictures;
using Throttled.Benchmarks.Replay;
using Throttled.Benchmarks.Shards;
using Throttled.Benchmarks.Tags;

try
{
    switch (args)
    {
        case ["by-id", .. var rest]:
            await CrushMatrix.EngineAsync(rest);
            return 0;
        case ["actors", .. var rest]:
            await CrushMatrix.ActorsAsync(rest);
            return 0;
        case ["permits"]:
            await PermitRate.RunAsync();
            return 0;
        case ["idle"]:
            await IdleQueries.RunAsync();
            return 0;
        case ["memory"]:
            await QueryMemory.RunAsync();
            return 0;
        case ["replay", .. var rest]:
            await ReplayRate.RunAsync(rest);
            return 0;
        case ["delivery", .. var rest]:
            await DeliveryTimes.RunAsync(rest);
            return 0;
        case ["tags", .. var rest]:
            await TagLoad.RunAsync(rest);
            return 0;
        case ["projections", .. var rest]:
            await ProjectionRates.RunAsync(rest);
            return 0;
        // The verb projections runs this in a process for each database.
        case ["projections-on", .. var rest]:
            await ReplayRun.PrintAsync(rest);
            return 0;
        case ["growth", .. var rest]:
            await GrowthTimes.RunAsync(rest);
            return 0;
        case ["recovery", .. var rest]:
            await RecoveryTimes.RunAsync(rest);
            return 0;
        case ["cluster", .. var rest]:
            await ClusterRates.RunAsync(rest);
            return 0;
        case ["pictures"]:
            PictureSet.Draw();
            return 0;
        case ["shards", .. var rest]:
            return await ShardRates.RunAsync(rest);
        default:
            Console.Error.WriteLine(
                """
                Each command measures one thing and writes a table to results/<cores>-cores.

                by-id [streams] [events]   the crush test without Akka, on SQLite and PostgreSQL, pages of 100 and of 10
                actors [streams] [events] [rounds]
                                           the crush test with actors, on both databases, with both kinds of payload
                permits                    permits per second, through the ledger and through the QueryThrottler actor
                idle                       statements per second of idle queries
                memory                     the engine's memory for an idle query
                replay [events]            a replay of all events, compared with a raw scan; then during the crush test
                tags [others] [tagged]     live queries by tag, compared with pollers
                delivery [queries] [seconds] [singles]
                                           time from commit to delivery, with steady writes and after idle time
                projections [events] [rounds]
                                           a read model of bank accounts, replayed in several ways
                growth [most]              time to the last event for 10 to a million live queries, beside the existing plugin
                recovery [queries]         events committed and delivered while the database is killed and started again
                cluster [entities] [events] [seconds] [idle]
                                           sharded entities on 1 to 3 nodes, fed by one feed, by nodes and by themselves; then idle nodes
                pictures                   draws docs/pictures from the results
                shards [seconds] [streams] [rounds]
                                           one journal on 1, 2, 4 and 8 servers, and the cost of sharding
                """);
            return args is [] or ["--help"] ? 0 : 2;
    }
}
catch (CrushException error)
{
    Console.Error.WriteLine($"error: {error.Message}");
    return 2;
}
