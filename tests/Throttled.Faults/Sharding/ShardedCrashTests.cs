using Throttled.Faults.World;

namespace Throttled.Faults.Sharding;

/// <summary>The crush test over four shards; one of them fails during the test and comes back.</summary>
[Collection(AloneCollection.Name)]
public sealed class ShardedCrashTests(ITestOutputHelper output)
{
    private const int Shards = 4;
    private const int Unavailable = 2;

    [PostgreSqlFact]
    [Trait("Category", "Long")]
    public async Task One_killed_server_of_four_costs_no_query_and_no_event_and_the_others_go_on()
    {
        await using var fleet = await ServerFleet.StartAsync(Shards);
        await using var run = new ShardedFaultRun(fleet, IdsOf(10_000), output);
        await run.RunAsync("one server of four killed (SIGKILL), until the others had all", Unavailable, 100);
    }

    [Fact]
    [Trait("Category", "Long")]
    public async Task One_locked_file_of_four_costs_none_of_very_many_queries_and_no_event_and_the_others_go_on()
    {
        await using var fleet = await FileFleet.CreateAsync(Shards);
        await using var run = new ShardedFaultRun(fleet, IdsOf(10_000), output);
        await run.RunAsync("one file of four locked (BEGIN EXCLUSIVE), until the others had all", Unavailable, 100);
    }

    [Fact]
    public async Task One_locked_file_of_four_costs_no_query_and_no_event_and_the_others_go_on()
    {
        await using var fleet = await FileFleet.CreateAsync(Shards);
        await using var run = new ShardedFaultRun(fleet, 100, output);
        await run.RunAsync("one file of four locked (BEGIN EXCLUSIVE), until the others had all", Unavailable, 8);
    }

    // With fewer ids a shard may have almost none.
    private static int IdsOf(int whole) => Math.Max(100, LongShare.Of(whole));
}
