using Throttled.Faults.Sqlite;
using Throttled.Faults.World;
using Throttled.Journal.Sqlite.Tests.Contract;

namespace Throttled.Faults.Sharding;

/// <summary>The file of one of three shards is overwritten while it is open, and then restored.</summary>
[Collection(AloneCollection.Name)]
public sealed class RuinedShardTests
{
    [Fact]
    public Task A_shard_whose_file_is_overwritten_and_restored_stops_only_its_own_ids() => RunAsync(120);

    [Fact]
    [Trait("Category", "Long")]
    public Task A_shard_whose_file_is_overwritten_and_restored_stops_only_its_own_ids_under_very_many() => RunAsync(LongShare.Of(10_000));

    private static async Task RunAsync(int queries)
    {
        using var host = new SqliteHost();
        await using var away = (SqliteJournalUnderTest)await host.NewJournalAsync();
        await using var first = await host.NewJournalAsync();
        await using var last = await host.NewJournalAsync();
        await using var journal = await new ShardedUnderTest(ShardRun.Three, first, away, last).CreateAsync();
        await using var run = await ShardRun.StartAsync(journal, queries);
        await using (var file = await RuinedFile.OfAsync(away))
        {
            await file.RuinAsync();
            await run.UntilUnavailableAsync();
            await journal.AppendAsync(ShardRun.MeanwhileElsewhere);
            await run.GoesOnAsync();
            await file.PutBackAsync();
        }

        await journal.AppendAsync([.. journal.In(ShardRun.Unavailable, ShardRun.Meanwhile)]);
        await journal.AppendAsync(ShardRun.After);
        await run.EndAsync();
    }
}
