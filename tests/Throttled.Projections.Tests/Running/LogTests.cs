using Microsoft.Extensions.Logging;
using Throttled.Projections.Tables;

namespace Throttled.Projections.Tests.Running;

/// <summary>What a runner logs, and how often.</summary>
public sealed class LogTests
{
    private readonly Cluster _cluster = new();

    [Fact]
    public void The_start_the_new_read_model_and_the_stop_of_a_process_are_logged()
    {
        _cluster.Start("a").Runner.Stop();
        _cluster.Start("b");
        Assert.Equal(
            ["Projection p: runs here as a; it reads slices:0-15.", "Projection p: runs here as b; it reads slices:0-15."],
            _cluster.Log.TextsOf(101));
        Assert.Equal("Projection p: has stopped here.", Assert.Single(_cluster.Log.TextsOf(102)));
        Assert.Equal("Projection p: the read model p is new and begins with the first event.", Assert.Single(_cluster.Log.TextsOf(110)));
    }

    [Fact]
    public void A_database_in_which_reads_wait_for_writes_is_logged_once_with_the_remedy()
    {
        var process = _cluster.Make("a");
        process.Store.WaitingReads = "[the app]";
        process.Start();
        _cluster.Advance(30);
        var text = Assert.Single(_cluster.Log.TextsOf(117));
        Assert.Contains("ALTER DATABASE [the app] SET ALLOW_SNAPSHOT_ISOLATION ON", text, StringComparison.Ordinal);
        Assert.Contains("ALTER DATABASE [the app] SET READ_COMMITTED_SNAPSHOT ON WITH ROLLBACK IMMEDIATE", text, StringComparison.Ordinal);
    }

    [Fact]
    public void Other_databases_are_not_logged()
    {
        _cluster.Start("a");
        _cluster.Advance(30);
        Assert.Equal(0, _cluster.Log.CountOf(117));
    }

    [Fact]
    public void A_process_that_ends_with_an_error_does_not_also_log_a_stop()
    {
        _cluster.Start("a");
        _cluster.Start("b", options => options with { Source = ProjectionSource.BySlices(0, 7) });
        Assert.Equal((1, 0), (_cluster.Log.CountOf(103), _cluster.Log.CountOf(102)));
    }

    [Fact]
    public void Claims_releases_and_takeovers_of_lanes_are_logged_once_each()
    {
        _cluster.Start("a");
        _cluster.Advance(30);
        Assert.Equal(Texts("Lane {0} of p: runs here, slices {1}-{2}.", 0, 1, 2, 3), _cluster.Log.TextsOf(130));
        var second = _cluster.Start("b");
        _cluster.Advance(30);
        Assert.Equal(Texts("Lane {0} of p: was released.", 2, 3), _cluster.Log.TextsOf(132));
        Assert.Equal(Texts("Lane {0} of p: runs here, slices {1}-{2}.", 0, 1, 2, 3, 2, 3), _cluster.Log.TextsOf(130));
        second.Die();
        _cluster.Advance(60);
        Assert.Equal(Texts("Lane {0} of p: runs here now, slices {1}-{2}; the claim of b has expired.", 2, 3), _cluster.Log.TextsOf(131));
    }

    [Fact]
    public void Claims_that_expired_while_the_database_was_unavailable_and_are_taken_again_are_not_logged()
    {
        var process = _cluster.Start("a");
        process.Store.Fault = _ => new TimeoutException("unavailable");
        _cluster.Advance(30);
        process.Store.Fault = null;
        _cluster.Advance(30);
        Assert.Equal((4, 0), (_cluster.Log.CountOf(130), _cluster.Log.CountOf(131)));
    }

    [Fact]
    public void A_pause_and_its_end_are_logged_once()
    {
        _cluster.Start("a");
        _cluster.Tables.Change("p", row => row with { IsPaused = true });
        _cluster.Advance(30);
        Assert.Equal(1, _cluster.Log.CountOf(112));
        _cluster.Tables.Change("p", row => row with { IsPaused = false, Resumes = row.Resumes + 1 });
        _cluster.Advance(30);
        Assert.Equal((1, 1), (_cluster.Log.CountOf(112), _cluster.Log.CountOf(113)));
        _cluster.Tables.Change("p", row => row with { Resumes = row.Resumes + 1 });
        _cluster.Advance(30);
        Assert.Equal(2, _cluster.Log.CountOf(113));
    }

    [Fact]
    public void An_invalid_command_is_logged_with_its_stored_verb()
    {
        _cluster.Start("a");
        _cluster.Tables.Command(new CommandRow(1, "p", default) { VerbText = "Explode", Unreadable = "Its verb is none." });
        _cluster.Advance(3);
        Assert.Equal(["Explode of p is refused (command 1). The command is not valid: Its verb is none."], _cluster.Log.TextsOf(121));
    }

    [Fact]
    public void A_command_is_logged_with_its_result()
    {
        _cluster.Start("a");
        _cluster.Command(CommandVerb.Reset, "p", 500);
        _cluster.Command(CommandVerb.Rebuild, "q");
        _cluster.Command(CommandVerb.Drop, "p");
        Assert.Equal(
            ["Reset of p is done (command 1). 'p' goes on after 500.", "Rebuild of q is done (command 2). 'q' is being built."],
            _cluster.Log.TextsOf(120));
        Assert.Equal(
            "Drop of p is refused (command 3). The read model 'p' of the projection 'p' is the live one; swap another in its place first.",
            Assert.Single(_cluster.Log.TextsOf(121)));
    }

    [Fact]
    public void A_rebuild_whose_name_is_taken_during_its_execution_is_refused()
    {
        var process = _cluster.Start("a");
        process.Store.Fault = call =>
        {
            if (call == "create")
                _cluster.Tables.Versions["q"] = new(new("q", "another", VersionRole.Live, "all", 4, 1, false, 0), new(0, 15));
            return null;
        };
        var (state, result) = _cluster.Command(CommandVerb.Rebuild, "q");
        Assert.Equal(CommandState.Refused, state);
        Assert.Contains("made meanwhile", result, StringComparison.Ordinal);
        Assert.Equal((0, 1), (_cluster.Log.CountOf(120), _cluster.Log.CountOf(121)));
    }

    [Fact]
    public void A_command_that_is_fenced_repeatedly_is_logged_once_and_retried_until_it_succeeds()
    {
        var process = _cluster.Start("a");
        process.Store.Fault = call => call == "reset" ? new FencedException("Rows are missing.") : null;
        var command = _cluster.Tables.Command(CommandVerb.Reset, "p", 0);
        _cluster.Advance(60);
        Assert.Equal(
            "Reset of p cannot be executed yet (command 1; Rows are missing). It is repeated until it succeeds.", Assert.Single(_cluster.Log.TextsOf(122)));
        process.Store.Fault = null;
        _cluster.Advance(5);
        Assert.Equal(CommandState.Done, _cluster.Tables.Became(command).State);
    }

    [Fact]
    public void A_process_that_is_fenced_repeatedly_is_logged_once()
    {
        var process = _cluster.Start("a");
        process.Store.Fault = call => call == "read" ? new FencedException("Rows are missing.") : null;
        _cluster.Advance(60);
        Assert.Equal((LogLevel.Warning, 1), (_cluster.Log.LevelsOf(114)[0], _cluster.Log.CountOf(114)));
        Assert.Contains("(Rows are missing.)", _cluster.Log.TextsOf(114)[0], StringComparison.Ordinal);
    }

    // Four lanes of the 16 slices.
    private static IEnumerable<string> Texts(string text, params int[] lanes) =>
        lanes.Select(lane => string.Format(null, text, lane, lane * 4, (lane * 4) + 3));
}
