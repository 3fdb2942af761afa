using Throttled.Projections.Offsets;
using Throttled.Projections.Tables;

namespace Throttled.Projections.Tests.Store;

/// <summary>Where the history of a version ends, as the tables keep it.</summary>
public sealed class HistoryTests
{
    [Theory, OnSqlite, OnPostgreSql]
    public async Task The_end_of_each_shard_is_kept_and_holds_after_the_journal_was_divided(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        var map = ShardMap.Even(2);
        await readModel.Store.CreateVersionAsync(
            TestReadModel.Row() with { Map = map, History = ShardedPosition.Parse("0-511:10,512-1023:20") }, SliceRange.All, TestReadModel.Nothing, null, default);
        await readModel.Store.LayOutAsync(await readModel.ReadVersionAsync(), SliceRange.All, new(4, ShardMap.Even(4)), null, default);
        var version = await readModel.ReadVersionAsync();
        Assert.Equal([10, 10, 20, 20], version.Layout.Of(SliceRange.All).Select(version.HistoryEndOf));
    }

    [Theory, OnSqlite, OnPostgreSql]
    public async Task A_reset_makes_all_handled_events_history_also_those_above_the_end_that_was_read(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        await readModel.VersionAsync();
        Assert.Equal(0, (await readModel.ReadVersionAsync()).HistoryEndOf(SliceRange.All));
        await readModel.MoveToAsync(12);
        foreach (var (end, expected) in new[] { (10L, 12L), (15L, 15L) })
        {
            var command = await readModel.CommandAsync(CommandVerb.Reset);
            await readModel.Store.ResetAsync(command, TestReadModel.To(12) with { JournalEnds = ShardedPosition.At(ShardMap.Even(1), end) }, null, default);
            Assert.Equal(expected, (await readModel.ReadVersionAsync()).HistoryEndOf(new(0, 511)));
        }
    }

    [Theory]
    [InlineData(0, 511, 10)]
    [InlineData(512, 1023, 20)]
    [InlineData(512, 512, 20)]
    [InlineData(0, 1023, 20)]
    public void Slices_of_several_shards_have_the_highest_of_their_ends(int first, int last, long expected) =>
        Assert.Equal(expected, (TestReadModel.Row() with { History = ShardedPosition.Parse("0-511:10,512-1023:20") }).HistoryEndOf(new(first, last)));
}
