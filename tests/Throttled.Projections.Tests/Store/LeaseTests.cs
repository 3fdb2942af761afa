using Throttled.Projections.Store;
using Throttled.Projections.Tables;

namespace Throttled.Projections.Tests.Store;

public sealed class LeaseTests
{
    private static readonly TimeSpan Hour = TimeSpan.FromHours(1);
    private static readonly Dictionary<string, IReadOnlyList<LaneReport>> NoReports = [];

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task Of_processes_that_claim_a_lane_at_once_one_gets_it(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        await readModel.VersionAsync();

        var claims = await Task.WhenAll(Enumerable.Range(0, 8).Select(n =>
            Task.Run(() => ClaimAsync(readModel, $"p{n}", 1))));

        Assert.Single(claims, claim => claim);
        var lanes = (await readModel.ReadAsync()).Lanes;
        Assert.Null(lanes[0].Owner);
        Assert.Equal($"p{Array.IndexOf(claims, true)}", lanes[1].Owner);
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task Lanes_are_claimed_at_once_except_those_of_others(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        await readModel.VersionAsync(lanes: 1024);
        await ClaimAsync(readModel, "p1", 7);

        var claimed = await readModel.Store.ClaimAsync("accounts", 1, [.. Enumerable.Range(0, 1024)], "p2", Hour, default);

        Assert.Equal(Enumerable.Range(0, 1024).Where(lane => lane != 7), claimed.Order());
        Assert.All((await readModel.ReadAsync()).Lanes, lane => Assert.Equal(lane.Lane == 7 ? "p1" : "p2", lane.Owner));
        Assert.Empty(await readModel.Store.ClaimAsync("accounts", 1, [], "p2", Hour, default));
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task Processes_that_claim_the_same_lanes_in_different_order_share_them(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        await readModel.VersionAsync(lanes: 64);
        int[] lanes = [.. Enumerable.Range(0, 64)];

        var claims = await Task.WhenAll(Enumerable.Range(0, 6).Select(n => Task.Run(async () => await readModel.Store.ClaimAsync(
            "accounts", 1, n % 2 == 0 ? lanes : [.. lanes.Reverse()], $"p{n}", Hour, default))));

        var owners = (await readModel.ReadAsync()).Lanes.Select(lane => lane.Owner).ToList();
        Assert.All(claims.Index(), claim => Assert.Equal(claim.Item.Order(), lanes.Where(lane => owners[lane] == $"p{claim.Index}")));
        Assert.NotEmpty(claims.SelectMany(claim => claim));
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task An_expired_claim_can_be_taken_over(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        await readModel.VersionAsync();
        await ClaimAsync(readModel, "p1");
        await RenewAsync(readModel, "p1", new LaneReport(0, LaneState.Failed, "no such account", 5));
        Assert.False(await ClaimAsync(readModel, "p2"));
        await ExpireAsync(readModel);

        var lane = (await readModel.ReadAsync()).Lanes[0];
        Assert.Equal((null, "p1", LaneState.Idle, null), (lane.Owner, lane.Expired, lane.Status.State, lane.Status.Error));
        Assert.True(await ClaimAsync(readModel, "p2"));
        lane = (await readModel.ReadAsync()).Lanes[0];
        Assert.Equal(("p2", null, LaneState.Idle, null), (lane.Owner, lane.Expired, lane.Status.State, lane.Status.Error));
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task A_claim_that_ends_too_far_in_the_future_has_no_owner_because_the_clock_jumped_back(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        await readModel.VersionAsync();
        await ClaimAsync(readModel, "p1");
        await RenewAsync(readModel, "p1", new LaneReport(0, LaneState.Running, null, 5));
        await readModel.ExecuteAsync("UPDATE throttled_projection_lane SET lease_until = '2120-01-01T00:00:00.000Z'");
        await readModel.ExecuteAsync("UPDATE throttled_projection_process SET lease_until = '2120-01-01T00:00:00.000Z'");

        var snapshot = await readModel.ReadAsync();
        Assert.Equal((null, "p1"), (snapshot.Lanes[0].Owner, snapshot.Lanes[0].Expired));
        Assert.Empty(snapshot.Processes);
        Assert.True(await ClaimAsync(readModel, "p2"));
        Assert.Equal("p2", (await readModel.ReadAsync()).Lanes[0].Owner);
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task A_renewed_claim_is_not_taken_over(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        await readModel.VersionAsync();
        await ClaimAsync(readModel, "p1");
        await ExpireAsync(readModel);

        await RenewAsync(readModel, "p1", new LaneReport(0, LaneState.Retrying, "no such account", 12.5));

        Assert.False(await ClaimAsync(readModel, "p2"));
        var lane = (await readModel.ReadAsync()).Lanes[0];
        Assert.Equal(("p1", LaneState.Retrying, "no such account"), (lane.Owner, lane.Status.State, lane.Status.Error));
        Assert.Equal(12.5, await readModel.ScalarAsync("SELECT events_per_second FROM throttled_projection_lane WHERE lane = 0"));
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task A_process_that_lost_a_lane_neither_renews_nor_releases_it(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        await readModel.VersionAsync();
        await ClaimAsync(readModel, "p1");
        await ExpireAsync(readModel);
        await ClaimAsync(readModel, "p2");

        await RenewAsync(readModel, "p1", new LaneReport(0, LaneState.Running, null, 5));
        await readModel.Store.ReleaseAsync("accounts", [0, 1], "p1", default);

        var lane = (await readModel.ReadAsync()).Lanes[0];
        Assert.Equal(("p2", LaneState.Idle), (lane.Owner, lane.Status.State));
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task A_released_lane_can_be_claimed(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        await readModel.VersionAsync();
        await ClaimAsync(readModel, "p1", 0);
        await ClaimAsync(readModel, "p1", 1);

        await readModel.Store.ReleaseAsync("accounts", [0], "p1", default);

        Assert.Equal([null, "p1"], (await readModel.ReadAsync()).Lanes.Select(lane => lane.Owner));
        Assert.True(await ClaimAsync(readModel, "p2", 0));
        Assert.False(await ClaimAsync(readModel, "p2", 1));
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task A_lane_of_another_layout_is_not_claimed(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        var version = await readModel.VersionAsync();
        await ClaimAsync(readModel, "p1");
        await readModel.Store.LayOutAsync(version, SliceRange.All, new(3, ShardMap.Even(1)), null, default);

        Assert.Empty(await readModel.Store.ClaimAsync("accounts", 1, [0], "p2", Hour, default));
        Assert.Equal([0], await readModel.Store.ClaimAsync("accounts", 2, [0], "p2", Hour, default));
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task Live_processes_are_read_in_ordinal_order(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        await readModel.VersionAsync();
        foreach (var process in new[] { "b", "a", "B", "gone" })
            await readModel.Store.RenewAsync("accounts", process, Hour, NoReports, default);
        await readModel.Store.RenewAsync("others", "z", Hour, NoReports, default);
        await readModel.ExecuteAsync("UPDATE throttled_projection_process SET lease_until = '2020-01-01T00:00:00.000Z' WHERE process = 'gone'");

        Assert.Equal(["B", "a", "b"], (await readModel.ReadAsync()).Processes);

        await readModel.Store.RenewAsync("accounts", "a", Hour, NoReports, default);
        Assert.Equal(0, await readModel.CountAsync("throttled_projection_process WHERE process = 'gone'"));
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task A_process_that_leaves_is_removed_and_owns_no_lane_of_that_projection(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        await readModel.VersionAsync();
        await readModel.Store.CreateVersionAsync(
            TestReadModel.Row("others") with { Projection = "others" }, SliceRange.All, TestReadModel.Nothing, null, default);
        await RenewAsync(readModel, "p1");
        await ClaimAsync(readModel, "p1");
        await readModel.Store.ClaimAsync("others", 1, [0], "p1", Hour, default);

        await readModel.Store.LeaveAsync("accounts", "p1", default);

        var snapshot = await readModel.ReadAsync();
        Assert.Empty(snapshot.Processes);
        Assert.All(snapshot.Lanes, lane => Assert.Null(lane.Owner));
        Assert.Equal("p1", (await readModel.Store.ReadAsync("others", 1, default)).Lanes[0].Owner);
    }

    private static async Task<bool> ClaimAsync(TestReadModel readModel, string process, int lane = 0) =>
        (await readModel.Store.ClaimAsync("accounts", 1, [lane], process, Hour, default)).Contains(lane);

    private static Task RenewAsync(TestReadModel readModel, string process, params LaneReport[] reports) =>
        readModel.Store.RenewAsync(
            "accounts", process, Hour, new Dictionary<string, IReadOnlyList<LaneReport>> { ["accounts"] = reports }, default);

    private static Task ExpireAsync(TestReadModel readModel) =>
        readModel.ExecuteAsync("UPDATE throttled_projection_lane SET lease_until = '2020-01-01T00:00:00.000Z'");
}
