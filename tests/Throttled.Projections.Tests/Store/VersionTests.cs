using System.Data.Common;
using Throttled.Projections.Offsets;
using Throttled.Projections.Store;
using Throttled.Projections.Tables;
using Xunit.Abstractions;

namespace Throttled.Projections.Tests.Store;

public sealed class VersionTests(ITestOutputHelper output)
{
    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task Processes_that_create_at_once_create_one_version_and_prepare_it_once(string database)
    {
        await using var readModel = await TestReadModel.AbsentAsync(database);
        var prepared = 0;

        await Task.WhenAll(Enumerable.Range(0, 6).Select(_ => Task.Run(async () =>
        {
            var store = new ProjectionStore(readModel.OfAnotherProcess());
            await store.CreateTablesAsync(default);
            await store.CreateVersionAsync(TestReadModel.Row(), SliceRange.All, (_, _) => Count(ref prepared), null, default);
        })));

        Assert.Equal(1, prepared);
        var snapshot = await readModel.ReadAsync();
        var (expected, version) = (TestReadModel.Row(), Assert.Single(snapshot.Versions));
        Assert.Equal($"{expected.Map}", $"{version.Map}");
        Assert.Equal(expected with { Map = version.Map, JournalEnds = version.JournalEnds, History = version.History }, version);
        Assert.Equal(2, snapshot.Lanes.Count);
        Assert.Equal(2, await readModel.CountAsync("throttled_projection_offset"));
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task A_preparation_that_fails_leaves_no_version(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);

        await Assert.ThrowsAsync<InvalidTimeZoneException>(() => readModel.Store.CreateVersionAsync(
            TestReadModel.Row(), SliceRange.All,
            async (scope, _) =>
            {
                await ExecuteAsync(scope.Transaction, "CREATE TABLE balance (id int)");
                throw new InvalidTimeZoneException();
            },
            null, default));

        Assert.Empty((await readModel.ReadAsync()).Versions);
        await readModel.ExecuteAsync("CREATE TABLE balance (id int)");
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task Lanes_that_change_from_8_to_3_and_back_keep_the_offset_of_each_slice(string database)
    {
        var seed = Environment.GetEnvironmentVariable("THROTTLED_SEED") is { } given ? int.Parse(given) : Random.Shared.Next();
        output.WriteLine($"THROTTLED_SEED={seed}");
        var random = new Random(seed);
        await using var readModel = await TestReadModel.CreateAsync(database);
        await readModel.VersionAsync(lanes: 8);
        foreach (var lane in LaneSlices.Divide(SliceRange.All, 8))
            await readModel.MoveToAsync(random.Next(1, 5), lane.First, lane.Last);
        var offsets = await BySliceAsync(readModel);

        foreach (var lanes in new[] { 3, 8 })
        {
            await readModel.Store.LayOutAsync(await readModel.ReadVersionAsync(), SliceRange.All, new(lanes, ShardMap.Even(1)), null, default);

            Assert.Equal(offsets, await BySliceAsync(readModel));
            var snapshot = await readModel.ReadAsync();
            Assert.Equal(LaneSlices.Divide(SliceRange.All, lanes), snapshot.Lanes.Select(lane => lane.Slices));
            Assert.All(snapshot.Lanes, lane => Assert.Equal((null, LaneState.Idle), (lane.Owner, lane.Status.State)));
            foreach (var lane in snapshot.Lanes)
                Assert.Equal(snapshot.Versions[0].Epoch, (await readModel.ReadLaneAsync(lane.Slices.First, lane.Slices.Last)).Epoch);
        }
        Assert.Equal((8, 3), ((await readModel.ReadVersionAsync()).Lanes, (await readModel.ReadVersionAsync()).Epoch));
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task Of_two_layouts_of_the_same_version_one_is_fenced(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        var version = await readModel.VersionAsync();
        await readModel.Store.LayOutAsync(version, SliceRange.All, new(3, ShardMap.Even(1)), null, default);

        await Assert.ThrowsAsync<FencedException>(() => readModel.Store.LayOutAsync(version, SliceRange.All, new(5, ShardMap.Even(1)), null, default));

        Assert.Equal(3, (await readModel.ReadVersionAsync()).Lanes);
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task Offsets_with_missing_slices_are_not_laid_out(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        var version = await readModel.VersionAsync();
        await readModel.ExecuteAsync("DELETE FROM throttled_projection_offset WHERE first_slice = 0");

        var error = await Assert.ThrowsAsync<ProjectionException>(() => readModel.Store.LayOutAsync(version, SliceRange.All, new(3, ShardMap.Even(1)), null, default));

        Assert.Contains("'accounts'", error.Message);
        Assert.Contains("slices 0-1023", error.Message);
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task A_reset_repairs_offsets_with_missing_slices(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        await readModel.VersionAsync(lanes: 4);
        await readModel.ExecuteAsync("DELETE FROM throttled_projection_offset WHERE first_slice = 0");
        await Assert.ThrowsAsync<FencedException>(() => readModel.ReadLaneAsync(0, 255));

        await readModel.Store.ResetAsync(await readModel.CommandAsync(CommandVerb.Reset), TestReadModel.To(4), null, default);

        Assert.Equal([new(new(0, 255), 4, 0)], (await readModel.ReadLaneAsync(0, 255)).Offsets);
        Assert.Equal(4, await readModel.CountAsync("throttled_projection_offset WHERE epoch = 2 AND ordering = 4"));
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task A_reset_waits_for_an_open_transaction_and_fences_the_next_one(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        await readModel.VersionAsync();
        var command = await readModel.CommandAsync(CommandVerb.Reset);
        var offsets = new LaneOffsets((await readModel.ReadLaneAsync()).Offsets);
        var other = new ProjectionStore(readModel.OfAnotherProcess());
        Task reset;
        await using (var open = await readModel.Store.BeginAsync("accounts", 1, default))
        {
            var move = offsets.MoveTo(9, 1, 9);
            await open.MoveAsync(move);
            reset = Task.Run(() => other.ResetAsync(command, TestReadModel.To(4), null, default));
            if (!readModel.IsSqlite)
                await Wait.UntilAsync(async () => await readModel.WaitingForLocksAsync() > 0, () => "the reset waits");
            Assert.False(reset.IsCompleted);
            await open.CommitAsync();
            offsets.Apply(move);
        }
        await reset.WithinAsync("the reset");

        await Assert.ThrowsAsync<FencedException>(() => readModel.MoveAsync(offsets.MoveTo(10, 1, 1)));
        var lane = await readModel.ReadLaneAsync();
        Assert.Equal([new(new(0, 511), 4, 0)], lane.Offsets);
        Assert.Equal(2, lane.Epoch);
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task Rows_that_a_lane_merges_while_a_reset_waits_are_reset(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        await MergingAsync(readModel, async store => await store.ResetAsync(await readModel.CommandAsync(CommandVerb.Reset), TestReadModel.To(4), null, default));

        Assert.Equal([new(new(0, 511), 4, 0)], (await readModel.ReadLaneAsync()).Offsets);
        Assert.Equal(0, await readModel.CountAsync("throttled_projection_offset WHERE epoch <> 3"));
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task Rows_that_a_lane_merges_while_lanes_are_laid_out_keep_their_offset(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        await MergingAsync(readModel, async store =>
            await store.LayOutAsync(await readModel.ReadVersionAsync(), SliceRange.All, new(4, ShardMap.Even(1)), null, default));

        Assert.Equal([new(new(0, 255), 50, 1)], (await readModel.ReadLaneAsync(0, 255)).Offsets);
        Assert.Equal([new(new(256, 511), 50, 1)], (await readModel.ReadLaneAsync(256)).Offsets);
        Assert.Equal(0, await readModel.CountAsync("throttled_projection_offset WHERE epoch <> 3"));
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task A_reset_removes_the_dead_letters_above_it_ends_its_command_and_prepares(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        await readModel.VersionAsync();
        await readModel.VersionAsync("other");
        await StoreAsync(readModel, "accounts");
        await StoreAsync(readModel, "other");
        var command = await readModel.CommandAsync(CommandVerb.Reset);

        await readModel.Store.ResetAsync(
            command, TestReadModel.To(2), (scope, _) => ExecuteAsync(scope.Transaction, $"CREATE TABLE cleared (version varchar(20)); INSERT INTO cleared VALUES ('{scope.Version}')"), default);

        Assert.Equal("accounts", await readModel.ScalarAsync("SELECT version FROM cleared"));
        Assert.Equal([2], (await readModel.Store.ReadDeadLettersAsync("accounts", "a", 10, default)).Select(deadLetter => deadLetter.Event.Ordering));
        Assert.Equal([2, 3], (await readModel.Store.ReadDeadLettersAsync("other", "a", 10, default)).Select(deadLetter => deadLetter.Event.Ordering));
        Assert.Equal("Done", await readModel.ScalarAsync("SELECT state FROM throttled_projection_command"));
        await Assert.ThrowsAsync<CommandEndedException>(() => readModel.Store.ResetAsync(command, TestReadModel.To(0), null, default));
        Assert.Equal(2, (await readModel.ReadVersionAsync()).Epoch);
        Assert.Equal(1, (await readModel.ReadVersionAsync("other")).Epoch);
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task A_swap_exchanges_the_roles_and_fences_the_lanes_of_both(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        await readModel.VersionAsync();
        await readModel.VersionAsync("new", role: VersionRole.Building);
        var command = await readModel.CommandAsync(CommandVerb.Swap, "new");
        var start = new LaneOffsets((await readModel.ReadLaneAsync()).Offsets);
        var scopes = new List<string>();

        await readModel.Store.SwapAsync(command, "accounts", (scope, _) => Add(scopes, scope.Version), default);

        Assert.Equal(["new"], scopes);
        Assert.Equal(VersionRole.Retired, (await readModel.ReadVersionAsync()).Role);
        Assert.Equal(VersionRole.Live, (await readModel.ReadVersionAsync("new")).Role);
        foreach (var version in new[] { "accounts", "new" })
        {
            await Assert.ThrowsAsync<FencedException>(() => readModel.MoveAsync(start.MoveTo(1, 1, 1), 1, version));
            await readModel.MoveAsync(start.MoveTo(1, 1, 1), 2, version);
        }
        var again = await readModel.CommandAsync(CommandVerb.Swap, "new");
        await Assert.ThrowsAsync<FencedException>(() => readModel.Store.SwapAsync(again, "accounts", TestReadModel.Nothing, default));
        Assert.Equal([again], (await readModel.ReadAsync()).Commands);
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task A_dropped_version_leaves_no_row_and_its_other_commands_are_refused(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        await readModel.VersionAsync();
        await readModel.VersionAsync("old", role: VersionRole.Retired);
        await StoreAsync(readModel, "old");
        await readModel.CommandAsync(CommandVerb.Retry, "old");
        var command = await readModel.CommandAsync(CommandVerb.Drop, "old");
        var scopes = new List<string>();

        await readModel.Store.DropAsync(command, (scope, _) => Add(scopes, scope.Version), default);

        Assert.Equal(["old"], scopes);
        foreach (var table in new[] { "", "_offset", "_lane", "_dead_letter" })
            Assert.Equal(0, await readModel.CountAsync($"throttled_projection{table} WHERE version = 'old'"));
        Assert.Equal(2, await readModel.CountAsync("throttled_projection_offset"));
        Assert.Equal(1, await readModel.CountAsync("throttled_projection_command WHERE state = 'Refused' AND result LIKE '%dropped%'"));
        var live = await readModel.CommandAsync(CommandVerb.Drop);
        await Assert.ThrowsAsync<FencedException>(() => readModel.Store.DropAsync(live, TestReadModel.Nothing, default));
        Assert.Single((await readModel.ReadAsync()).Versions);
    }

    // The lower lane has two rows, which a transaction merges. The change waits for that transaction.
    private static async Task MergingAsync(TestReadModel readModel, Func<IProjectionStore, Task> change)
    {
        await readModel.VersionAsync(lanes: 4);
        await readModel.MoveToAsync(30, 0, 255);
        await readModel.Store.LayOutAsync(await readModel.ReadVersionAsync(), SliceRange.All, new(2, ShardMap.Even(1)), null, default);
        var offsets = new LaneOffsets((await readModel.ReadLaneAsync()).Offsets);
        Task changing;
        await using (var open = await readModel.Store.BeginAsync("accounts", 2, default))
        {
            await open.MoveAsync(offsets.MoveTo(50, 1, 1));
            // What it reads first waits on SQLite too, where a test cannot see it wait; there it comes after.
            changing = readModel.IsSqlite ? Task.CompletedTask : Task.Run(() => change(new ProjectionStore(readModel.OfAnotherProcess())));
            if (!readModel.IsSqlite)
                await Wait.UntilAsync(async () => await readModel.WaitingForLocksAsync() > 0, () => "the change waits");
            await open.CommitAsync();
        }
        await (readModel.IsSqlite ? change(readModel.Store) : changing).WithinAsync("the change");
    }

    private static async Task<long[]> BySliceAsync(TestReadModel readModel)
    {
        var lane = await readModel.ReadLaneAsync(0, 1023);
        return [.. Enumerable.Range(0, 1024).Select(slice => lane.Offsets.Single(row => row.Slices.Contains(slice)).Ordering)];
    }

    private static async Task StoreAsync(TestReadModel readModel, string version)
    {
        await using var transaction = await readModel.Store.BeginAsync(version, 1, default);
        await transaction.StoreDeadLettersAsync([DeadLetters.Of("a", 2), DeadLetters.Of("a", 3)]);
        await transaction.CommitAsync();
    }

    private static async Task ExecuteAsync(DbTransaction transaction, string sql)
    {
        await using var command = transaction.Connection!.CreateCommand();
        (command.Transaction, command.CommandText) = (transaction, sql);
        await command.ExecuteNonQueryAsync();
    }

    private static Task Count(ref int count)
    {
        Interlocked.Increment(ref count);
        return Task.CompletedTask;
    }

    private static Task Add(List<string> list, string text)
    {
        list.Add(text);
        return Task.CompletedTask;
    }
}
