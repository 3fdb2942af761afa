using Microsoft.Extensions.Diagnostics.HealthChecks;
using Microsoft.Extensions.Logging;
using Throttled.Projections.Hosting;
using Throttled.Projections.Running;
using Throttled.Projections.Tables;

namespace Throttled.Projections.Tests.Running;

public sealed class StartTests
{
    private readonly Cluster _cluster = new();

    [Fact]
    public void The_first_process_creates_the_read_model_and_runs_all_its_lanes()
    {
        var process = _cluster.Start("a");
        var row = _cluster.Tables.Versions["p"].Row;
        Assert.Equal(new VersionRow("p", "p", VersionRole.Live, "slices:0-15", 4, _cluster.Begun, false, 0) { JournalEnds = row.JournalEnds, Map = row.Map, History = row.History }, row);
        Assert.Equal([1_000L], row.JournalEnds);
        Assert.Equal(["prepare p"], process.Handler.Calls);
        Assert.Equal("0,1,2,3", process.Lanes());
    }

    [Fact]
    public void An_existing_read_model_is_not_created_again()
    {
        _cluster.Start("a");
        Assert.Empty(_cluster.Start("b").Handler.Calls);
    }

    [Fact]
    public async Task Another_source_is_refused_and_both_are_named()
    {
        _cluster.Start("a");
        var other = _cluster.Start("b", options => options with { Source = ProjectionSource.ByTag("red") });
        var refusal = await Assert.ThrowsAsync<ProjectionException>(() => other.Runner.Completion);
        Assert.Contains("'slices:0-15'", refusal.Message, StringComparison.Ordinal);
        Assert.Contains("'tag:red'", refusal.Message, StringComparison.Ordinal);
        Assert.Contains("Set 'Source' back", refusal.Message, StringComparison.Ordinal);
        Assert.Empty(other.Workers);
        Assert.DoesNotContain("b", _cluster.Tables.Processes.Keys);
    }

    [Fact]
    public async Task A_name_that_a_read_model_of_another_projection_has_is_refused()
    {
        _cluster.Tables.Versions["p"] = new(new("p", "another", VersionRole.Building, "all", 4, 1, false, 0), new(0, 15));
        var refusal = await Assert.ThrowsAsync<ProjectionException>(() => _cluster.Start("a").Runner.Completion);
        Assert.Contains("another name", refusal.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void A_process_with_another_number_of_lanes_uses_the_stored_one_and_logs_it_once()
    {
        var old = _cluster.Start("a");
        var newer = _cluster.Start("b", options => options with { Lanes = 6 });
        _cluster.Advance(30);
        Assert.False(old.Runner.Completion.IsCompleted);
        Assert.Equal(("0,1", "2,3"), (old.Lanes(), newer.Lanes()));
        Assert.DoesNotContain("layout", newer.Store.Calls);
        Assert.Equal(
            "Projection p: 'Lanes' is 6 here, but the read model p has 4 lanes. This process runs with 4. To change the number, call ProjectionControl.SetLanesAsync; otherwise set 'Lanes' to 4.",
            Assert.Single(_cluster.Log.TextsOf(116)));
        Assert.Equal(LogLevel.Warning, _cluster.Log.LevelsOf(116)[0]);
    }

    [Fact]
    public void A_restart_with_another_number_of_lanes_changes_nothing()
    {
        _cluster.Start("a").Runner.Stop();
        Assert.Equal("0,1,2,3", _cluster.Start("b", options => options with { Lanes = 6 }).Lanes());
        Assert.Equal(_cluster.Begun, _cluster.Tables.Versions["p"].Row.Epoch);
    }

    [Fact]
    public async Task A_process_with_other_shards_takes_over_and_those_with_the_old_ones_stop_with_the_reason()
    {
        var old = _cluster.Start("a");
        _cluster.Map = ShardMap.Parse("0-3,4-1023");
        var newer = _cluster.Start("b");
        var refusal = await Assert.ThrowsAsync<ProjectionException>(() => old.Runner.Completion);
        Assert.Contains("A process with 4 lanes over the shards \"0-3,4-1023\" has taken over the read model 'p' of the projection 'p'", refusal.Message, StringComparison.Ordinal);
        Assert.Contains("the journal has no shards here. Start this process again with the shards of that process", refusal.Message, StringComparison.Ordinal);
        Assert.Equal("0,1,2,3", newer.Lanes());
        Assert.Equal(["0-3", "4-7", "8-11", "12-15"], _cluster.Tables.Read("p", 1).Lanes.Select(lane => lane.Slices.ToString()));
        Assert.Contains("has 4 lanes over the shards \"0-3,4-1023\" now instead of 4 lanes;", Assert.Single(_cluster.Log.TextsOf(111)), StringComparison.Ordinal);
    }

    [Fact]
    public void The_end_of_each_shard_is_stored()
    {
        _cluster.Map = ShardMap.Parse("0-3,4-1023");
        _cluster.Start("a");
        Assert.Equal([1_000L, 1_000L], _cluster.Tables.Versions["p"].Row.JournalEnds);
    }

    [Fact]
    public void Other_shards_lay_out_the_active_read_models_with_their_own_lanes_and_leave_retired_ones()
    {
        _cluster.Start("a");
        _cluster.Command(CommandVerb.Rebuild, "q");
        _cluster.Command(CommandVerb.SetLanes, "q", lanes: 1);
        _cluster.Tables.Versions["r"] = new(new("r", "p", VersionRole.Retired, "all", 9, 1, false, 0), new(0, 15));
        _cluster.Map = ShardMap.Parse("0-3,4-1023");
        _cluster.Start("b");
        Assert.Equal([4, 2, 9], "pqr".Select(version => _cluster.Tables.Versions[version.ToString()].Row.Lanes));
    }

    [Fact]
    public void Of_two_processes_that_start_at_once_with_other_shards_one_stays()
    {
        _cluster.Start("a");
        _cluster.Map = ShardMap.Parse("0-3,4-1023");
        var first = _cluster.Make("b");
        _cluster.Map = ShardMap.Parse("0-7,8-1023");
        var second = _cluster.Make("c");
        var (blocked, another) = (new TaskCompletionSource(), new TaskCompletionSource());
        first.Store.Slow = call => call == "layout" ? blocked.Task : Task.CompletedTask;
        second.Store.Slow = call => call == "layout" ? another.Task : Task.CompletedTask;
        first.Start();
        second.Start();
        blocked.SetResult();
        another.SetResult();
        _cluster.AdvanceUntil(() => _cluster.Processes.Count(process => process.IsAlive) == 1, "all but one to give way");
        _cluster.Advance(3);
        var left = _cluster.Processes.Single(process => process.IsAlive);
        Assert.Equal(4, left.Worker().Running.Count());
        Assert.Equal(left.Context.Map, _cluster.Tables.Versions["p"].Row.Map);
    }

    [Fact]
    public void A_layout_whose_answer_was_lost_is_not_repeated()
    {
        _cluster.Start("a");
        _cluster.Map = ShardMap.Parse("0-3,4-1023");
        var newer = _cluster.Make("b");
        var lost = 0;
        newer.Store.LateFault = call => call == "layout" && lost++ == 0 ? new TimeoutException("lost") : null;
        newer.Start();
        _cluster.Advance(3);
        Assert.Equal(_cluster.Begun + 1, _cluster.Tables.Versions["p"].Row.Epoch);
        Assert.Equal("0,1,2,3", newer.Lanes());
    }

    [Fact]
    public void A_fault_before_the_first_success_is_retried()
    {
        var process = _cluster.Make("a");
        process.Store.Fault = _ => new InvalidOperationException("no permission");
        process.Start();
        _cluster.Advance(60);
        Assert.False(process.Runner.Completion.IsCompleted);
        Assert.Equal("no permission", process.Runner.StoreUnavailable);
        process.Store.Fault = null;
        _cluster.Advance(6);
        Assert.Null(process.Runner.StoreUnavailable);
        Assert.Equal("0,1,2,3", process.Lanes());
    }

    [Fact]
    public void A_handler_that_cannot_create_its_read_model_is_named_and_not_the_database()
    {
        var process = _cluster.Make("a");
        process.Handler.Fault = hook => hook == "prepare p" ? new InvalidOperationException("my bug") : null;
        process.Start();
        _cluster.Advance(60);
        const string reason = "The handler's PrepareAsync failed: my bug.";
        Assert.Equal((null, reason), (process.Runner.StoreUnavailable, process.Runner.HandlerFault));
        Assert.Contains(reason, Assert.Single(_cluster.Log.TextsOf(115)), StringComparison.Ordinal);
        Assert.Equal(0, _cluster.Log.CountOf(106));
        var report = new ProjectionHealthReport("p", HealthStatus.Unhealthy, new()).Of(RunnerHealth.Of(process.Runner, process.Context.Options, hasStarted: true));
        Assert.Equal((HealthStatus.Unhealthy, $"The projection 'p' cannot create its read model. {reason}"), (report.Status, report.Description));
        process.Handler.Fault = null;
        _cluster.Advance(6);
        Assert.Null(process.Runner.HandlerFault);
        Assert.Equal("0,1,2,3", process.Lanes());
    }
}
