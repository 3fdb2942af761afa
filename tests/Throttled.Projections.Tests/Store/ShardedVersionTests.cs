using Throttled.Projections.Offsets;
using Throttled.Projections.Store;
using Throttled.Projections.Tables;

namespace Throttled.Projections.Tests.Store;

/// <summary>Read models of sharded journals, and of journals that become sharded.</summary>
public sealed class ShardedVersionTests
{
    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task Offsets_of_one_journal_are_carried_to_four_shards_and_to_eight_slice_by_slice(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        await readModel.VersionAsync(lanes: 3);
        var at = 40L;
        foreach (var lane in LaneSlices.Divide(SliceRange.All, 3))
            await readModel.MoveToAsync(at += 10, lane.First, lane.Last);
        var before = await BySliceAsync(readModel);

        foreach (var map in new[] { ShardMap.Even(4), ShardMap.Even(8) })
        {
            await LayOutAsync(readModel, new(8, map));

            Assert.Equal(before, await BySliceAsync(readModel));
            var snapshot = await readModel.ReadAsync();
            Assert.Equal((8, map), (snapshot.Versions[0].Lanes, snapshot.Versions[0].Map));
            Assert.Equal(new LaneLayout(8, map).Of(SliceRange.All), snapshot.Lanes.Select(lane => lane.Slices));
            Assert.All(snapshot.Versions[0].JournalEnds, end => Assert.Equal(0, end));
        }
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task Offsets_of_four_shards_are_not_carried_to_two_and_nothing_is_changed(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        await ShardedAsync(readModel, ShardMap.Even(4), lanes: 4);
        await readModel.MoveToAsync(70, 256, 511);
        var before = await readModel.ReadVersionAsync();

        var refused = await Assert.ThrowsAsync<ProjectionException>(() => LayOutAsync(readModel, new(4, ShardMap.Even(2))));

        Assert.Contains("are of the shards \"0-255,256-511,512-767,768-1023\", but the journal has \"0-511,512-1023\": the slices 0-511", refused.Message);
        var after = await readModel.ReadVersionAsync();
        Assert.Equal((before.Epoch, before.Map, before.Lanes), (after.Epoch, after.Map, after.Lanes));
        Assert.Equal(70, (await readModel.ReadLaneAsync(256, 511)).Offsets[0].Ordering);
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task Offsets_that_are_all_equal_are_carried_back_to_one_journal(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        await ShardedAsync(readModel, ShardMap.Even(4), lanes: 4);
        foreach (var lane in LaneSlices.Divide(SliceRange.All, 4))
            await readModel.MoveToAsync(30, lane.First, lane.Last);

        await LayOutAsync(readModel, new(2, ShardMap.Even(1)));

        Assert.Equal([30L], (await BySliceAsync(readModel)).Distinct());
        Assert.Equal(ShardMap.Even(1), (await readModel.ReadVersionAsync()).Map);
        Assert.Equal(0, await readModel.CountAsync("throttled_projection_shard"));
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task A_reset_moves_each_shard_to_its_own_ordering_and_removes_dead_letters_above_it(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        await ShardedAsync(readModel, ShardMap.Even(2), lanes: 4);
        var (first, second) = (IdIn(new(0, 511)), IdIn(new(512, 1023)));
        foreach (var (id, slices) in new[] { (first, new SliceRange(0, 1023)), (second, new SliceRange(0, 1023)) })
            await StoreAsync(readModel, slices, DeadLetters.Of(id, 5), DeadLetters.Of(id, 50));
        var point = new JournalPoint([new(new(0, 511), 10, 0), new(new(512, 1023), 60, 0)], ShardMap.Even(2));

        await readModel.Store.ResetAsync(await readModel.CommandAsync(CommandVerb.Reset), point, null, default);

        Assert.Equal([10L, 60L], (await BySliceAsync(readModel)).Distinct());
        Assert.Equal([5L], (await readModel.Store.ReadDeadLettersAsync("accounts", first, 10, default)).Select(deadLetter => deadLetter.Event.Ordering));
        Assert.Equal([5L, 50L], (await readModel.Store.ReadDeadLettersAsync("accounts", second, 10, default)).Select(deadLetter => deadLetter.Event.Ordering));
        Assert.Equal("'accounts' goes on after 0-511:10,512-1023:60. 1 dead letter was removed; its event comes again as a replay.", await readModel.ScalarAsync("SELECT result FROM throttled_projection_command"));
        var other = await readModel.CommandAsync(CommandVerb.Reset);
        await Assert.ThrowsAsync<FencedException>(() => readModel.Store.ResetAsync(other, TestReadModel.To(0), null, default));
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task The_status_lists_each_shard_and_adds_their_lags(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        await ShardedAsync(readModel, ShardMap.Even(2), lanes: 4);
        foreach (var (at, first, last) in new[] { (90, 0, 255), (70, 256, 511), (500, 512, 767), (500, 768, 1023) })
            await readModel.MoveToAsync(at, first, last, timestamp: TimeProvider.System.GetUtcNow().AddMinutes(-at).UtcTicks);
        await readModel.Store.SetJournalEndAsync("accounts", 0, 100, default);

        var unseen = await StatusAsync(readModel);
        await readModel.Store.SetJournalEndAsync("accounts", 1, 500, default);
        var status = await StatusAsync(readModel);

        Assert.Equal((null, null, null), (unseen.JournalEnd, unseen.JournalEnds, unseen.LagEvents));
        Assert.Equal((570, 600, 30), (status.Offset, status.JournalEnd, status.LagEvents));
        Assert.Equal(("0-511:70,512-1023:500", "0-511:100,512-1023:500"), (status.Offsets?.ToString(), status.JournalEnds?.ToString()));
        // The second shard has caught up, however old its last event is.
        Assert.InRange(status.Lag!.Value, TimeSpan.FromMinutes(65), TimeSpan.FromMinutes(80));
        Assert.Equal([100L, 500L], (await readModel.ReadVersionAsync()).JournalEnds);
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task Shards_outside_the_source_do_not_make_the_lag_unknown(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        await readModel.Store.CreateVersionAsync(
            TestReadModel.Row(lanes: 2) with { Map = ShardMap.Even(4) }, new(100, 300), TestReadModel.Nothing, null, default);
        await readModel.Store.SetJournalEndAsync("accounts", 0, 10, default);
        await readModel.Store.SetJournalEndAsync("accounts", 1, 20, default);

        var status = await StatusAsync(readModel);

        Assert.Equal((30, 30), (status.JournalEnd, status.LagEvents));
        Assert.Equal("0-255:10,256-511:20,512-767:0,768-1023:0", status.JournalEnds?.ToString());
    }

    private static async Task<ProjectionStatus> StatusAsync(TestReadModel readModel) =>
        Assert.Single(await new ProjectionControl(readModel.ReadModel).StatusAsync("accounts"));

    private static Task ShardedAsync(TestReadModel readModel, ShardMap map, int lanes) =>
        readModel.Store.CreateVersionAsync(TestReadModel.Row(lanes: lanes) with { Map = map }, SliceRange.All, TestReadModel.Nothing, null, default);

    private static async Task LayOutAsync(TestReadModel readModel, LaneLayout lanes) =>
        await readModel.Store.LayOutAsync(await readModel.ReadVersionAsync(), SliceRange.All, lanes, null, default);

    private static async Task<List<long>> BySliceAsync(TestReadModel readModel) =>
        [.. (await readModel.ReadLaneAsync(0, 1023)).Offsets.SelectMany(row => Enumerable.Repeat(row.Ordering, row.Slices.Count))];

    private static string IdIn(SliceRange slices) =>
        Enumerable.Range(0, 1_000).Select(number => $"account-{number}").First(id => slices.Contains(JournalSlices.Of(id)));

    private static async Task StoreAsync(TestReadModel readModel, SliceRange slices, params DeadLetter[] letters)
    {
        await using var transaction = await readModel.Store.BeginAsync("accounts", 1, default);
        await transaction.MoveAsync(new LaneOffsets((await readModel.ReadLaneAsync(slices.First, slices.Last)).Offsets).Stay());
        await transaction.StoreDeadLettersAsync(letters);
        await transaction.CommitAsync();
    }
}
