using Throttled.Projections.Offsets;
using Throttled.Projections.Store;
using Throttled.Projections.Tables;

namespace Throttled.Projections.Tests.Store;

public sealed class OffsetTests
{
    private static readonly SliceRange Lower = new(0, 511);

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task A_new_version_is_at_the_start_in_every_lane(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        await readModel.VersionAsync(lanes: 3);

        foreach (var (first, last) in new[] { (0, 340), (341, 681), (682, 1023) })
        {
            var lane = await readModel.ReadLaneAsync(first, last);
            Assert.Equal([new(new(first, last), 0, 0)], lane.Offsets);
            Assert.Equal((1, 0, 0), (lane.Epoch, lane.DeadLetterIds.Count, lane.DeadLetters));
        }
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task Of_two_runners_that_read_the_same_offset_one_moves_and_the_other_is_fenced(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        await readModel.VersionAsync();
        var both = (await readModel.ReadLaneAsync()).Offsets;

        await readModel.MoveAsync(new LaneOffsets(both).MoveTo(10, 1, 10));
        await Assert.ThrowsAsync<FencedException>(() => readModel.MoveAsync(new LaneOffsets(both).MoveTo(7, 1, 7)));
        await Assert.ThrowsAsync<FencedException>(() => readModel.MoveAsync(new LaneOffsets(both).Stay()));

        Assert.Equal([new(Lower, 10, 1)], (await readModel.ReadLaneAsync()).Offsets);
    }

    [Theory, OnSqlite]
    public async Task Connections_with_a_shared_cache_do_not_read_uncommitted_rows(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        await readModel.VersionAsync();
        const string shared = "Cache=Shared;Pooling=False;Default Timeout=1";
        var (writer, reader) = (new ProjectionStore(readModel.OfAnotherProcess(shared)), new ProjectionStore(readModel.OfAnotherProcess(shared)));
        var offsets = new LaneOffsets((await reader.ReadLaneAsync("accounts", Lower, default)).Offsets);
        await using (var open = await writer.BeginAsync("accounts", 1, default))
        {
            await open.MoveAsync(offsets.MoveTo(10, 1, 10));
            var error = await Assert.ThrowsAnyAsync<System.Data.Common.DbException>(() => reader.ReadLaneAsync("accounts", Lower, default));
            Assert.True(reader.IsTransient(error), error.ToString());
        }
        Assert.Equal(0, (await reader.ReadLaneAsync("accounts", Lower, default)).Offsets[0].Ordering);
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task Of_two_concurrent_runners_only_one_commits(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        await readModel.VersionAsync();
        var offsets = new LaneOffsets((await readModel.ReadLaneAsync()).Offsets);

        var runners = await Task.WhenAll(Enumerable.Range(1, 8).Select(n => Task.Run(async () =>
        {
            try
            {
                await readModel.MoveAsync(offsets.MoveTo(n, 1, n));
                return n;
            }
            catch (FencedException)
            {
                return 0;
            }
        })));

        var winner = Assert.Single(runners, n => n != 0);
        Assert.Equal([new(Lower, winner, 1)], (await readModel.ReadLaneAsync()).Offsets);
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task An_offset_of_an_older_epoch_is_fenced_even_if_its_ordering_is_the_same(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        var version = await readModel.VersionAsync();
        var offsets = new LaneOffsets((await readModel.ReadLaneAsync()).Offsets);

        await readModel.Store.LayOutAsync(version, SliceRange.All, new(2, ShardMap.Even(1)), null, default);

        await Assert.ThrowsAsync<FencedException>(() => readModel.MoveAsync(offsets.MoveTo(5, 1, 5)));
        await Assert.ThrowsAsync<FencedException>(() => readModel.MoveAsync(offsets.Stay()));
        await readModel.MoveAsync(offsets.MoveTo(5, 1, 5), epoch: 2);
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task Rows_that_reach_the_same_offset_are_merged_and_keep_their_count_of_events(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        var version = await readModel.VersionAsync(lanes: 4);
        await readModel.MoveToAsync(30, 0, 255, events: 3);
        await readModel.MoveToAsync(20, 256, 511, events: 2);
        await readModel.Store.LayOutAsync(version, SliceRange.All, new(2, ShardMap.Even(1)), null, default);
        var lane = await readModel.ReadLaneAsync();
        Assert.Equal([new(new(0, 255), 30, 0), new(new(256, 511), 20, 0)], lane.Offsets);

        await readModel.MoveToAsync(25, timestamp: 7, events: 1);
        Assert.Equal([new(new(0, 255), 30, 0), new(new(256, 511), 25, 7)], (await readModel.ReadLaneAsync()).Offsets);
        await readModel.MoveToAsync(40, timestamp: 8, events: 4);

        Assert.Equal([new(Lower, 40, 8)], (await readModel.ReadLaneAsync()).Offsets);
        Assert.Equal(10L, Convert.ToInt64(await readModel.ScalarAsync("SELECT events FROM throttled_projection_status")));
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task Counts_of_unhandled_events_survive_other_lanes_and_merged_rows_until_a_reset(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        var version = await readModel.VersionAsync(lanes: 4);
        foreach (var (first, ordering) in new[] { (0, 30), (256, 20) })
        {
            var lane = await readModel.ReadLaneAsync(first, first + 255);
            await using var transaction = await readModel.Store.BeginAsync("accounts", lane.Epoch, default);
            await transaction.MoveAsync(new LaneOffsets(lane.Offsets).MoveTo(ordering, 0, 5));
            await transaction.CountUnhandledAsync(3);
            await transaction.CommitAsync();
        }
        await readModel.Store.LayOutAsync(version, SliceRange.All, new(2, ShardMap.Even(1)), null, default);
        await readModel.MoveToAsync(40, events: 4);

        var status = Assert.Single(await new ProjectionControl(readModel.ReadModel).StatusAsync("accounts"));
        Assert.Equal((14, 6), (status.Events, status.UnhandledEvents));
        Assert.Equal(new(14, 6), (await readModel.ReadVersionAsync()).Handled);
        await readModel.Store.ResetAsync(await readModel.CommandAsync(CommandVerb.Reset), TestReadModel.To(0), null, default);
        Assert.Equal(default, (await readModel.ReadVersionAsync()).Handled);
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task If_another_runner_moved_one_row_none_is_changed(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        var version = await readModel.VersionAsync(lanes: 4);
        await readModel.MoveToAsync(30, 0, 255);
        await readModel.Store.LayOutAsync(version, SliceRange.All, new(2, ShardMap.Even(1)), null, default);
        var lane = await readModel.ReadLaneAsync();
        await readModel.ExecuteAsync("UPDATE throttled_projection_offset SET ordering = 1 WHERE first_slice = 256");

        await Assert.ThrowsAsync<FencedException>(() => readModel.MoveAsync(new LaneOffsets(lane.Offsets).MoveTo(40, 1, 1), 2));

        Assert.Equal([30, 1], (await readModel.ReadLaneAsync()).Offsets.Select(row => row.Ordering));
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task A_rolled_back_transaction_leaves_nothing(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        await readModel.VersionAsync();
        var command = await readModel.CommandAsync(CommandVerb.Retry);
        var lane = await readModel.ReadLaneAsync();

        await using (var transaction = await readModel.Store.BeginAsync("accounts", 1, default))
        {
            await transaction.MoveAsync(new LaneOffsets(lane.Offsets).MoveTo(9, 1, 1));
            await transaction.StoreDeadLettersAsync([DeadLetters.Of("a", 1)]);
            await transaction.RecordCommandAsync(command.Id, CommandOutcome.Done("done"));
        }

        Assert.Equivalent(lane, await readModel.ReadLaneAsync());
        Assert.Equal(0, await readModel.CountAsync("throttled_projection_dead_letter"));
        Assert.Equal([command], (await readModel.ReadAsync()).Commands);
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task Slices_that_are_no_longer_a_lane_are_fenced(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        await readModel.VersionAsync(lanes: 4);

        await Assert.ThrowsAsync<FencedException>(() => readModel.ReadLaneAsync(0, 300));
        await Assert.ThrowsAsync<FencedException>(() => readModel.ReadLaneAsync(10, 255));
        await Assert.ThrowsAsync<FencedException>(() => readModel.ReadLaneAsync(0, 255, "no-such-version"));
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task Lanes_lock_only_their_own_rows(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        if (readModel.IsSqlite)
            return;
        await readModel.VersionAsync();
        await using var lower = await readModel.Store.BeginAsync("accounts", 1, default);
        await lower.MoveAsync(new LaneOffsets((await readModel.ReadLaneAsync()).Offsets).MoveTo(5, 1, 1));

        await readModel.MoveToAsync(6, 512, 1023);

        await lower.CommitAsync();
        Assert.Equal([new(Lower, 5, 1)], (await readModel.ReadLaneAsync()).Offsets);
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task A_move_that_would_split_a_row_is_refused(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        await readModel.VersionAsync();
        var cut = new OffsetMove([new(Lower, 0, 0)], [new(new(0, 9), 5, 1), new(new(10, 511), 0, 0)], 1);

        await Assert.ThrowsAsync<ArgumentException>(() => readModel.MoveAsync(cut));

        Assert.Equal([new(Lower, 0, 0)], (await readModel.ReadLaneAsync()).Offsets);
    }
}
