using CrushTest.Settings;
using Throttled.Benchmarks;
using Throttled.Benchmarks.Accounts;
using Throttled.Benchmarks.Delivery;
using Throttled.Benchmarks.Growth;
using Throttled.Benchmarks.Links;
using Throttled.Benchmarks.Nodes;
using Throttled.Benchmarks.Observed;
using Throttled.Benchmarks.Pictures;
using Throttled.Benchmarks.Replay;
using Throttled.Benchmarks.Shards;
using Throttled.Benchmarks.Tags;

try
{
    var options = BenchOptions.Read(args);
    if (options.IsJson)
        Results.PrintJson();
    return options.Words switch
    {
        ["by-id", .. var rest] => await DoneAsync(CrushMatrix.EngineAsync(rest)),
        ["actors", .. var rest] => await DoneAsync(CrushMatrix.ActorsAsync(rest)),
        ["subscriptions", .. var rest] => await DoneAsync(CrushMatrix.SubscriptionsAsync(rest)),
        ["decoding", .. var rest] => await DoneAsync(CrushMatrix.DecodingAsync(rest)),
        ["observed", .. var rest] => await DoneAsync(ObservedCost.RunAsync(rest)),
        ["permits"] => await DoneAsync(PermitRate.RunAsync()),
        ["idle"] => await DoneAsync(IdleQueries.RunAsync()),
        ["memory"] => await DoneAsync(QueryMemory.RunAsync()),
        ["replay", .. var rest] => await DoneAsync(ReplayRate.RunAsync(rest, options.IsBeside)),
        ["delivery", .. var rest] => await DoneAsync(DeliveryTimes.RunAsync(rest)),
        ["tags", .. var rest] => await DoneAsync(TagLoad.RunAsync(rest, options.IsBeside)),
        ["projections", .. var rest] => await DoneAsync(ProjectionRates.RunAsync(rest)),
        // The verb projections runs this in a process for each database.
        ["projections-on", .. var rest] => await DoneAsync(ReplayRun.PrintAsync(rest)),
        ["growth", "queries", .. var rest] => await DoneAsync(QueryGrowth.RunAsync(rest, options.IsBeside)),
        ["growth", "events", .. var rest] => await DoneAsync(EventGrowth.RunAsync(rest)),
        ["growth", "tags", .. var rest] => await DoneAsync(TagGrowth.RunAsync(rest, options.IsBeside)),
        ["growth", "permits", .. var rest] => await DoneAsync(PermitGrowth.RunAsync(rest)),
        ["growth", .. var rest] => throw new CrushException($"[what] is '{string.Join(' ', rest)}'; it must be queries, events, tags or permits. Name one: growth queries."),
        ["payloads", .. var rest] => await DoneAsync(WideRows.RunAsync(rest)),
        ["recovery", .. var rest] => await DoneAsync(RecoveryTimes.RunAsync(rest)),
        ["cluster", .. var rest] => await DoneAsync(ClusterRates.RunAsync(rest)),
        ["pictures"] => await DoneAsync(Task.Run(PictureSet.Draw)),
        ["shards", .. var rest] => await ShardRates.RunAsync(rest),
        _ => Help(),
    };
}
catch (CrushException error)
{
    Console.Error.WriteLine($"error: {error.Message}");
    return 2;
}

static async Task<int> DoneAsync(Task measuring)
{
    await measuring;
    return 0;
}

int Help()
{
    Console.Error.WriteLine(
        """
        Each command measures one thing and writes a table to results/<cores>-cores.

        by-id [streams] [events]   the crush test without Akka, on SQLite and PostgreSQL, pages of 100 and of 10
        actors [streams] [events] [rounds]
                                   the crush test with actors, on both databases
        subscriptions [streams] [events] [rounds]
                                   the same with subscriptions instead of streams, compared with the engine without Akka
        decoding [streams] [events] [rounds]
                                   the crush test with actors and payloads that must be decoded, with three serializers
        observed [streams] [events] [rounds]
                                   what telemetry and the page cost: the crush test without Akka, with and without them
        permits                    permits per second, through the ledger and through the QueryThrottler actor
        idle                       statements per second of idle queries
        memory                     the engine's memory for an idle query
        replay [events]            a replay of all events, compared with a raw scan; then during the crush test
        tags [others] [tagged]     live queries by tag, compared with pollers
        delivery [queries] [seconds] [singles]
                                   time from commit to delivery, with steady writes and after idle time
        projections [events] [rounds]
                                   a read model of bank accounts, replayed in several ways
        growth queries [most] [idle]
                                   time, statements and memory for 10 to a million live queries, then for idle ones
        growth events [most]       the same for a replay of 100,000 to 100 million events on PostgreSQL
        growth tags [most] [tagged] [others]
                                   the same for live queries by 1 to 1,000 tags on PostgreSQL
        growth permits [most] [queries]
                                   the same for 1 to 64 permits on PostgreSQL, with no, 1 and 5 ms of delay to the server
        payloads [megabytes]       events of 1 KB, 10 KB and 1 MB on PostgreSQL, with and without delay to the server
        recovery [queries]         events committed and delivered while the database is killed and started again
        cluster [entities] [events] [seconds] [idle]
                                   sharded entities on 1 to 3 nodes, fed by one feed, by nodes and by themselves; then idle nodes
        pictures                   draws docs/pictures from the results
        shards [seconds] [streams] [rounds]
                                   one journal on 1, 2, 4 and 8 servers, and the cost of sharding

        --json                     prints the result as one JSON object, and writes no file
        --beside Akka.Persistence.Sql
                                   measures that plugin too: growth queries, growth tags, replay, tags
        """);
    return args is [] or ["--help"] ? 0 : 2;
}
