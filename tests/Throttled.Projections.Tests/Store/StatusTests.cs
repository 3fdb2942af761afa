using System.Globalization;
using Throttled.Projections.Tables;

namespace Throttled.Projections.Tests.Store;

public sealed class StatusTests
{
    private static readonly TimeSpan Hour = TimeSpan.FromHours(1);

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task The_lag_is_unknown_until_the_journal_end_is_known(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        await readModel.VersionAsync();

        var status = await StatusAsync(readModel);

        Assert.Equal((0, null, null), (status.Offset, status.JournalEnd, status.JournalEndSeenAt));
        Assert.Equal((null, null, null), (status.LagEvents, status.Lag, status.TimeLeft));
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task Of_one_shard_there_are_no_texts_and_its_end_is_reported_even_without_offset_rows(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        await readModel.VersionAsync();
        await readModel.ExecuteAsync("DELETE FROM throttled_projection_offset");
        await readModel.Store.SetJournalEndAsync("accounts", 0, 9, default);

        var status = await StatusAsync(readModel);

        Assert.Equal((9, null, null), (status.JournalEnd, status.Offsets, status.JournalEnds));
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task The_lag_is_that_of_the_lane_furthest_behind(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        await readModel.VersionAsync();
        var now = await ClockAsync(readModel);
        await readModel.MoveToAsync(90, timestamp: now.AddSeconds(-10).UtcTicks, events: 9);
        await readModel.MoveToAsync(40, 512, 1023, timestamp: now.AddMinutes(-10).UtcTicks, events: 4);
        await readModel.Store.SetJournalEndAsync("accounts", 0, 100, default);
        await RunAsync(readModel, new(0, LaneState.Running, null, 20), new(1, LaneState.Failed, "no such account", 0));

        var status = await StatusAsync(readModel);

        Assert.Equal((40, 100, 60, 13), (status.Offset, status.JournalEnd, status.LagEvents, status.Events));
        Assert.InRange(status.Lag!.Value, TimeSpan.FromMinutes(10), TimeSpan.FromMinutes(20));
        Assert.InRange(status.JournalEndSeenAt!.Value, now.AddMinutes(-1), now.AddMinutes(5));
        Assert.Equal((20, TimeSpan.FromSeconds(3)), (status.EventsPerSecond, status.TimeLeft));
        Assert.Equal(
            [new(0, 0, 511, "p1", LaneState.Running, null, 20), new(1, 512, 1023, "p1", LaneState.Failed, "no such account", 0)], status.Lanes);
        Assert.Equal((1, 1), (await LanesAsync(readModel, "running"), await LanesAsync(readModel, "failed")));
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task The_time_left_of_a_tag_is_that_of_its_share_of_the_events(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        await readModel.Store.CreateVersionAsync(TestReadModel.Row(lanes: 1) with { Source = "tag:red" }, new(0, 1023), TestReadModel.Nothing, null, default);
        await readModel.MoveToAsync(1_000, 0, 1023, events: 10);
        await readModel.Store.SetJournalEndAsync("accounts", 0, 5_000, default);
        await RunAsync(readModel, new LaneReport(0, LaneState.Running, null, 20));

        var status = await StatusAsync(readModel);

        // 40 of 4,000 orderings are expected to have the tag.
        Assert.Equal((4_000, TimeSpan.FromSeconds(2)), (status.LagEvents, status.TimeLeft));
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task The_time_left_counts_from_the_start_and_from_the_last_reset(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        var row = TestReadModel.Row(lanes: 2) with { Source = "slices:0-767", Map = ShardMap.Even(2), StartOffset = "0-511:3000,512-1023:5000" };
        await readModel.Store.CreateVersionAsync(row, new(0, 767), TestReadModel.Nothing, null, default);
        Assert.Equal(8_000, (await readModel.ReadVersionAsync()).CountedFrom);

        await readModel.MoveToAsync(4_000, 0, 511, events: 10);
        await readModel.Store.SetJournalEndAsync("accounts", 0, 8_000, default);
        await readModel.Store.SetJournalEndAsync("accounts", 1, 5_000, default);
        await RunAsync(readModel, new(0, LaneState.Running, null, 20), new(1, LaneState.Running, null, 0));
        // 10 of 1,000 orderings were of the slices, so 40 of 4,000 will be.
        var status = await StatusAsync(readModel);
        Assert.Equal((4_000, TimeSpan.FromSeconds(2)), (status.LagEvents, status.TimeLeft));

        var command = await readModel.CommandAsync(CommandVerb.Reset);
        await readModel.Store.ResetAsync(command, new([new(new(0, 511), 2_000, 0), new(new(512, 1023), 5_000, 0)], ShardMap.Even(2)), null, default);
        Assert.Equal((7_000, "0-511:2000,512-1023:5000"), ((await readModel.ReadVersionAsync()).CountedFrom, (await readModel.ReadVersionAsync()).StartOffset));

        // Only the shards of its slices count.
        var only = TestReadModel.Row("only", lanes: 1) with { Source = "slices:0-511", Map = ShardMap.Even(2), StartOffset = "0-511:3000,512-1023:5000" };
        await readModel.Store.CreateVersionAsync(only, new(0, 511), TestReadModel.Nothing, null, default);
        Assert.Equal(3_000, (await readModel.ReadVersionAsync("only")).CountedFrom);
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task The_time_left_counts_from_the_same_place_after_the_journal_was_divided(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        await readModel.Store.CreateVersionAsync(
            TestReadModel.Row(lanes: 1) with { Source = "slices:0-767", StartOffset = "3001" }, new(0, 767), TestReadModel.Nothing, null, default);
        await readModel.Store.LayOutAsync(await readModel.ReadVersionAsync(), new(0, 767), new(4, ShardMap.Even(4)), null, default);
        // Three of the four shards have slices of it.
        Assert.Equal(9_003, (await readModel.ReadVersionAsync()).CountedFrom);
        await readModel.Store.LayOutAsync(await readModel.ReadVersionAsync(), new(0, 767), new(8, ShardMap.Even(4)), null, default);
        Assert.Equal(9_003, (await readModel.ReadVersionAsync()).CountedFrom);
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task The_time_left_counts_from_the_same_place_after_a_change_of_lanes(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        var row = TestReadModel.Row(lanes: 1) with { Source = "slices:0-767", Map = ShardMap.Even(4), StartOffset = "0-255:1000,256-511:2000,512-767:4001,768-1023:8000" };
        await readModel.Store.CreateVersionAsync(row, new(0, 767), TestReadModel.Nothing, null, default);
        Assert.Equal(7_001, (await readModel.ReadVersionAsync()).CountedFrom);
        await readModel.Store.LayOutAsync(await readModel.ReadVersionAsync(), new(0, 767), new(8, ShardMap.Even(4)), null, default);
        Assert.Equal(7_001, (await readModel.ReadVersionAsync()).CountedFrom);
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task A_lane_has_no_lag_behind_events_that_its_owner_has_read_past_before_the_offset_is_stored(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        await readModel.VersionAsync(lanes: 1);
        await readModel.MoveToAsync(20, 0, 1023, timestamp: 1);
        await readModel.Store.SetJournalEndAsync("accounts", 0, 100, default);
        await RunAsync(readModel, new LaneReport(0, LaneState.Running, null, 0) { Offset = 100 });

        var status = await StatusAsync(readModel);
        await readModel.ExecuteAsync("UPDATE throttled_projection_lane SET lease_until = '2020-01-01T00:00:00.000Z'");

        Assert.Equal((100, 0, TimeSpan.Zero, TimeSpan.Zero), (status.Offset, status.LagEvents, status.Lag, status.TimeLeft));
        // The next owner begins at the stored offset.
        Assert.Equal((20, 80), ((await StatusAsync(readModel)).Offset, (await StatusAsync(readModel)).LagEvents));
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task A_projection_that_has_caught_up_has_no_lag_however_old_the_last_event_is(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        await readModel.VersionAsync(lanes: 1);
        await readModel.MoveToAsync(100, 0, 1023, timestamp: 1);
        await readModel.Store.SetJournalEndAsync("accounts", 0, 90, default);

        var status = await StatusAsync(readModel);

        Assert.Equal((0, TimeSpan.Zero, TimeSpan.Zero), (status.LagEvents, status.Lag, status.TimeLeft));
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task Before_the_first_event_the_lag_in_time_and_the_time_left_are_unknown(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        await readModel.VersionAsync();
        await readModel.Store.SetJournalEndAsync("accounts", 0, 90, default);

        var status = await StatusAsync(readModel);

        Assert.Equal((90, null, null), (status.LagEvents, status.Lag, status.TimeLeft));
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task The_state_that_an_owner_reported_ends_with_its_claim(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        await readModel.VersionAsync();
        await RunAsync(readModel, new(0, LaneState.Running, null, 20), new(1, LaneState.Failed, "no such account", 0));
        await readModel.ExecuteAsync("UPDATE throttled_projection_lane SET lease_until = '2020-01-01T00:00:00.000Z'");

        var status = await StatusAsync(readModel);

        Assert.Equal(0, status.EventsPerSecond);
        Assert.Equal((0, 0), (await LanesAsync(readModel, "running"), await LanesAsync(readModel, "failed")));
        Assert.Equal([new(0, 0, 511, null, LaneState.Idle, null, 0), new(1, 512, 1023, null, LaneState.Idle, null, 0)], status.Lanes);
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task Dead_letters_and_commands_are_counted_by_version(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        await readModel.VersionAsync();
        await readModel.VersionAsync("new", role: VersionRole.Building);
        await DeadLetterTests.StoreAsync(readModel, DeadLetters.Of("a", 1), DeadLetters.Of("a", 2), DeadLetters.Of("b", 3));
        await readModel.CommandAsync(CommandVerb.Retry);
        await readModel.CommandAsync(CommandVerb.Swap, "new");

        var status = await new ProjectionControl(readModel.ReadModel).StatusAsync("accounts");

        Assert.Equal(
            [("accounts", VersionRole.Live, 3, 1), ("new", VersionRole.Building, 0, 1)],
            status.Select(each => (each.Version, each.Role, each.DeadLetters, each.WaitingCommands)));
        Assert.All(status, each => Assert.Equal(("accounts", "all", false), (each.Name, each.Source, each.IsPaused)));
        Assert.Empty(await new ProjectionControl(readModel.ReadModel).StatusAsync("others"));
    }

    private static async Task<ProjectionStatus> StatusAsync(TestReadModel readModel) =>
        Assert.Single(await new ProjectionControl(readModel.ReadModel).StatusAsync("accounts"));

    private static async Task<long> LanesAsync(TestReadModel readModel, string how) =>
        Convert.ToInt64(await readModel.ScalarAsync($"SELECT lanes_{how} FROM throttled_projection_status"));

    private static async Task<DateTimeOffset> ClockAsync(TestReadModel readModel) => DateTimeOffset.Parse(
        (string)(await readModel.ScalarAsync(
            readModel.IsSqlite ? "SELECT datetime('now')"
                : readModel.IsSqlServer ? "SELECT CONVERT(varchar(19), SYSUTCDATETIME(), 120)"
                : "SELECT to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS')"))!,
        CultureInfo.InvariantCulture, DateTimeStyles.AssumeUniversal);

    private static async Task RunAsync(TestReadModel readModel, params LaneReport[] reports)
    {
        foreach (var report in reports)
            Assert.Equal([report.Lane], await readModel.Store.ClaimAsync("accounts", 1, [report.Lane], "p1", Hour, default));
        await readModel.Store.RenewAsync(
            "accounts", "p1", Hour, new Dictionary<string, IReadOnlyList<LaneReport>> { ["accounts"] = reports }, default);
    }
}
