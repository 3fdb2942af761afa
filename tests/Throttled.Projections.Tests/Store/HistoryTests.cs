using Throttled.Projections.Offsets;
using Throttled.Projections.Tables;

namespace Throttled.Projections.Tests.Store;

/// <summary>The history of a version, as the tables keep it.</summary>
public sealed class HistoryTests
{
    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task A_history_holds_after_the_journal_was_divided(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        await readModel.Store.CreateVersionAsync(
            TestReadModel.Row() with { Map = ShardMap.Even(2), History = new("accounts", [new(new(0, 511), 10, 0), new(new(512, 1023), 20, 0)]) },
            SliceRange.All, TestReadModel.Nothing, null, default);
        await readModel.Store.LayOutAsync(await readModel.ReadVersionAsync(), SliceRange.All, new(4, ShardMap.Even(4)), null, default);
        var version = await readModel.ReadVersionAsync();
        Assert.Equal(["0-255:10", "256-511:10", "512-767:20", "768-1023:20"], version.Layout.Of(SliceRange.All).Select(lane => version.History.Within(lane).Text));
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task A_reset_makes_history_of_what_each_lane_has_handled_and_a_second_one_loses_none_of_it(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        await readModel.VersionAsync();
        Assert.Equal("", (await readModel.ReadVersionAsync()).History.Text);
        await readModel.MoveToAsync(12);
        await readModel.MoveToAsync(7, 512, 1023);
        foreach (var _ in Enumerable.Range(0, 2))
        {
            await readModel.Store.ResetAsync(await readModel.CommandAsync(CommandVerb.Reset), TestReadModel.To(3), null, default);
            Assert.Equal("0-511:12,512-1023:7", (await readModel.ReadVersionAsync()).History.Text);
        }
        await readModel.MoveToAsync(9, 512, 1023);
        await readModel.Store.ResetAsync(await readModel.CommandAsync(CommandVerb.Reset), TestReadModel.To(3), null, default);
        Assert.Equal("0-511:12,512-1023:9", (await readModel.ReadVersionAsync()).History.Text);
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task The_end_of_a_shard_is_stored_once_and_only_in_the_epoch_that_it_was_read_for(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        SliceRange first = new(0, 511), second = new(512, 1023);
        await readModel.Store.CreateVersionAsync(
            TestReadModel.Row() with { Map = ShardMap.Even(2), History = VersionHistory.UpTo(VersionHistory.Unknown, "accounts") }, SliceRange.All, TestReadModel.Nothing, null, default);
        var old = await readModel.ReadVersionAsync();
        await readModel.Store.LayOutAsync(old, SliceRange.All, new(4, ShardMap.Even(2)), null, default);
        var current = await readModel.ReadVersionAsync();
        Assert.True(current.Epoch > old.Epoch);

        await EndAsync(old, first, 10);
        Assert.Equal($"0-1023:{VersionHistory.Unknown}", (await readModel.ReadVersionAsync()).History.Text);
        await EndAsync(current, first, 12);
        await EndAsync(current, first, 13);
        Assert.Equal($"0-511:12,512-1023:{VersionHistory.Unknown}", (await readModel.ReadVersionAsync()).History.Text);
        await EndAsync(old, second, 20);
        await EndAsync(current, second, 25);
        Assert.Equal("0-511:12,512-1023:25", (await readModel.ReadVersionAsync()).History.Text);

        Task EndAsync(VersionRow version, SliceRange shard, long end) =>
            readModel.Store.SetHistoryEndAsync(version.Version, version.Epoch, shard, end, default);
    }
}
