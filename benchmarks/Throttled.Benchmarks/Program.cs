using CrushTest.Settings;
using Throttled.Benchmarks;
using Throttled.Benchmarks.Delivery;
using Throttled.Benchmarks.Replay;
using Throttled.Benchmarks.Shards;
using Throttled.Benchmarks.Tags;

try
{
    switch (args)
    {
        case ["crush", .. var rest]:
            return await CrushMatrix.RunAsync(rest);
        case ["ledger"]:
            LedgerRate.Run();
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
        case ["shards", .. var rest]:
            return await ShardRates.RunAsync(rest);
        default:
            Console.Error.WriteLine(
                """
                crush [streams] [events]   the crush test on SQLite and PostgreSQL, pages of 100 and of 10    -> results/by-id.md
                ledger                     permit requests per second                                         -> results/ledger.md
                idle                       statements per second of idle queries                              -> results/idle.md
                memory                     the engine's bytes for an idle query                               -> results/memory.md
                replay [events]            a replay of all events, beside a scan and beside the crush         -> results/replay.md
                tags [others] [tagged]     live queries by tag, beside pollers                                -> results/tags.md
                delivery [queries] [seconds] [singles]
                                           from commit to delivery, steadily and after idle                   -> results/delivery.md
                projections [events] [options of the sample's replay]
                                           a read model replayed in one way after the other                   -> results/projections.md
                shards [seconds] [streams] [rounds]
                                           1, 2, 4 and 8 servers as one journal, and what dividing costs      -> results/shards.md
                """);
            return args is [] or ["--help"] ? 0 : 2;
    }
}
catch (CrushException error)
{
    Console.Error.WriteLine($"error: {error.Message}");
    return 2;
}
