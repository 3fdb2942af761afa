using System.Globalization;
using Throttled.Projections.Tables;

namespace Throttled.Projections.Tests.Running;

public sealed class CommandTests
{
    private readonly Cluster _cluster = new();

    [Fact]
    public void A_reset_to_the_start_empties_the_read_model_and_restarts_the_lanes()
    {
        var process = _cluster.Start("a");
        Assert.True(process.Worker().Commit(0));
        Assert.Equal(CommandState.Done, _cluster.Command(CommandVerb.Reset, "p", 0).State);
        Assert.Equal(["prepare p", "prepare p"], process.Handler.Calls);
        Assert.Equal($"start 0,1,2,3 at {_cluster.Begun + 1}", process.Worker().Calls[^1]);
        Assert.Equal(0, _cluster.Tables.Versions["p"].At.Max());
    }

    [Fact]
    public void A_reset_to_the_start_needs_no_journal()
    {
        _cluster.Start("a");
        _cluster.End = () => throw new TimeoutException("unavailable");
        Assert.Equal(CommandState.Done, _cluster.Command(CommandVerb.Reset, "p", 0).State);
    }

    [Fact]
    public void A_reset_to_an_ordering_leaves_the_read_model_to_the_handler()
    {
        var process = _cluster.Start("a");
        Assert.Equal(CommandState.Done, _cluster.Command(CommandVerb.Reset, "p", 500).State);
        Assert.Equal(500, _cluster.Tables.Versions["p"].Lowest);
        Assert.Single(process.Handler.Calls);
    }

    [Theory]
    [InlineData(1_001, "from 0 to 1000")]
    [InlineData(-1, "0 or more")]
    public void A_reset_to_an_ordering_that_is_not_in_the_journal_is_refused(long ordering, string allowed)
    {
        _cluster.Start("a");
        var (state, result) = _cluster.Command(CommandVerb.Reset, "p", ordering);
        Assert.Equal(CommandState.Refused, state);
        Assert.Contains(allowed, result, StringComparison.Ordinal);
    }

    [Fact]
    public void A_reset_to_a_time_goes_on_after_the_last_event_before_it()
    {
        _cluster.Start("a");
        foreach (var at in new[] { 10, 20, 30, 40 })
            _cluster.Events.Add(new() { PersistenceId = "x", SequenceNumber = at, Payload = default, Ordering = at, Timestamp = at * 100 });
        Assert.Equal(CommandState.Done, _cluster.Command(CommandVerb.Reset, "p", timestamp: 3_000).State);
        Assert.Equal(20, _cluster.Tables.Versions["p"].Lowest);
    }

    [Fact]
    public void A_reset_waits_for_an_unavailable_journal_while_lanes_go_on()
    {
        var process = _cluster.Start("a");
        _cluster.End = () => throw new TimeoutException("unavailable");
        var command = _cluster.Tables.Command(CommandVerb.Reset, "p", 500);
        _cluster.Advance(60);
        Assert.True(_cluster.Tables.IsWaiting(command));
        Assert.Equal("0,1,2,3", process.Lanes());
        Assert.Equal(1, _cluster.Log.CountOf(122));
        Assert.Null(process.Runner.StoreUnavailable);
        _cluster.End = () => 1_000;
        _cluster.Advance(10);
        Assert.Equal(CommandState.Done, _cluster.Tables.Became(command).State);
    }

    [Fact]
    public void A_rebuild_can_be_swapped_in_if_it_is_behind_by_no_more_than_the_batches_in_hand()
    {
        var process = _cluster.Start("a", options => options with { BatchSize = 1 });
        foreach (var _ in Enumerable.Range(0, 5))
            Assert.All(Enumerable.Range(0, 4), lane => Assert.True(process.Worker().Commit(lane)));
        Assert.Equal(CommandState.Done, _cluster.Command(CommandVerb.Rebuild, "q").State);
        Assert.Equal(("0,1,2,3", "0,1,2,3"), (process.Lanes("p"), process.Lanes("q")));

        var (state, result) = _cluster.Command(CommandVerb.Swap, "q");
        Assert.Equal(CommandState.Refused, state);
        Assert.Contains("5 behind the live one at 5; swap again when it is 4 behind or less", result, StringComparison.Ordinal);

        Assert.All(Enumerable.Range(0, 4), lane => Assert.True(process.Worker("q").Commit(lane)));
        var old = process.Worker("p");
        Assert.Equal(CommandState.Done, _cluster.Command(CommandVerb.Swap, "q").State);
        Assert.True(old.IsDisposed);
        Assert.Equal(("", "0,1,2,3"), (process.Lanes("p"), process.Lanes("q")));
        Assert.Equal(["prepare p", "prepare q", "swap p q"], process.Handler.Calls);

        Assert.Contains("retired", _cluster.Command(CommandVerb.Reset, "p", 0).Result, StringComparison.Ordinal);
        Assert.Contains("retired", _cluster.Command(CommandVerb.Retry, "p").Result, StringComparison.Ordinal);
        Assert.Contains("live", _cluster.Command(CommandVerb.Drop, "q").Result, StringComparison.Ordinal);
        Assert.Equal(CommandState.Done, _cluster.Command(CommandVerb.Drop, "p").State);
        Assert.Equal(["q"], _cluster.Tables.Versions.Keys);
        Assert.Equal("drop p", process.Handler.Calls[^1]);
    }

    [Fact]
    public void Another_number_of_lanes_is_adopted_by_all_processes_and_changes_no_offset()
    {
        var (first, second) = (_cluster.Start("a"), _cluster.Start("b"));
        _cluster.Advance(10);
        Assert.True(first.Worker().Commit(0));
        var at = _cluster.Tables.Versions["p"].At.ToArray();
        Assert.Equal(CommandState.Done, _cluster.Command(CommandVerb.SetLanes, "p", lanes: 6).State);
        Assert.Equal("SetLanes of p is done (command 1). 'p' has 6 lanes.", Assert.Single(_cluster.Log.TextsOf(120)));
        _cluster.Advance(10);
        Assert.Equal(("0,1,2", "3,4,5"), (first.Lanes(), second.Lanes()));
        Assert.Equal(at, _cluster.Tables.Versions["p"].At);
        Assert.All(new[] { first, second }, process => Assert.False(process.Runner.Completion.IsCompleted));
        Assert.Equal(0, _cluster.Log.CountOf(116));
    }

    [Fact]
    public void A_rebuild_has_the_number_of_lanes_of_the_live_one_unless_another_is_given()
    {
        var process = _cluster.Start("a");
        _cluster.Command(CommandVerb.SetLanes, "p", lanes: 2);
        _cluster.Command(CommandVerb.Rebuild, "q");
        Assert.Equal("0,1", process.Lanes("q"));
        Assert.Equal(CommandState.Done, _cluster.Command(CommandVerb.SetLanes, "q", lanes: 16).State);
        _cluster.Advance(3);
        Assert.Equal((2, 16), (process.Worker().Running.Count(), process.Worker("q").Running.Count()));
    }

    [Theory]
    [InlineData(4, "has 4 lanes already")]
    [InlineData(0, "cannot have 0 lanes; it must be from 1, the shards of the journal, to 16, the slices of its source")]
    [InlineData(17, "cannot have 17 lanes")]
    [InlineData(null, "cannot have 0 lanes")]
    public void An_impossible_or_unchanged_number_of_lanes_is_refused(int? lanes, string reason)
    {
        _cluster.Start("a");
        var (state, result) = _cluster.Command(CommandVerb.SetLanes, "p", lanes: lanes);
        Assert.Equal(CommandState.Refused, state);
        Assert.Contains(reason, result, StringComparison.Ordinal);
        Assert.Equal(_cluster.Begun, _cluster.Tables.Versions["p"].Row.Epoch);
    }

    [Fact]
    public void A_rebuild_with_dead_letters_or_failed_lanes_is_swapped_in_only_by_force()
    {
        var process = _cluster.Start("a");
        Assert.Equal(CommandState.Done, _cluster.Command(CommandVerb.Rebuild, "q").State);
        _cluster.Tables.Versions["q"].DeadLetters = 200;
        var (state, result) = _cluster.Command(CommandVerb.Swap, "q");
        Assert.Equal(CommandState.Refused, state);
        Assert.StartsWith("The read model 'q' of the projection 'p' has 200 dead letters: readers would miss these events. Retry or discard", result, StringComparison.Ordinal);

        process.Worker("q").Fail(1);
        process.Worker("q").Fail(3);
        _cluster.Advance(5);
        Assert.Contains("has 200 dead letters and the failed lanes 1, 3:", _cluster.Command(CommandVerb.Swap, "q").Result, StringComparison.Ordinal);
        _cluster.Tables.Versions["q"].DeadLetters = 0;
        Assert.Contains("has the failed lanes 1, 3:", _cluster.Command(CommandVerb.Swap, "q").Result, StringComparison.Ordinal);

        Assert.Equal(CommandState.Done, _cluster.Command(CommandVerb.ForcedSwap, "q").State);
        Assert.Equal("swap p q", process.Handler.Calls[^1]);
    }

    [Fact]
    public void A_rebuild_can_be_dropped_and_its_name_used_again()
    {
        var process = _cluster.Start("a");
        _cluster.Command(CommandVerb.Rebuild, "q");
        _cluster.Command(CommandVerb.Reset, "q", 0);
        var before = _cluster.Tables.Versions["q"].Row.Epoch;
        Assert.Equal(CommandState.Done, _cluster.Command(CommandVerb.Drop, "q").State);
        Assert.All(process.Workers.Where(worker => worker.Version == "q"), worker => Assert.True(worker.IsDisposed));
        Assert.Equal(CommandState.Done, _cluster.Command(CommandVerb.Rebuild, "q").State);
        Assert.Equal("0,1,2,3", process.Lanes("q"));
        // A lane of the first rebuild that still runs does not match any lane of the second.
        Assert.InRange(_cluster.Tables.Versions["q"].Row.Epoch, before + 1, long.MaxValue);
    }

    [Fact]
    public void A_rebuild_is_refused_if_its_name_is_invalid_or_taken()
    {
        _cluster.Start("a");
        _cluster.Tables.Versions["other"] = new(new("other", "another", VersionRole.Live, "all", 4, 1, false, 0), new(0, 15));
        foreach (var (name, reason) in new[]
        {
            ("", "from 1 to 200"), (new string('x', 201), "has 201"), ("q ", "ends in a blank"), ("#q", "begins with '#'"), ("p", "there already"), ("other", "another projection"),
        })
        {
            var (state, result) = _cluster.Command(CommandVerb.Rebuild, name);
            Assert.Equal(CommandState.Refused, state);
            Assert.Contains(reason, result, StringComparison.Ordinal);
        }
    }

    [Theory]
    [InlineData(nameof(CommandVerb.Reset))]
    [InlineData(nameof(CommandVerb.Swap))]
    [InlineData(nameof(CommandVerb.Drop))]
    [InlineData(nameof(CommandVerb.Retry))]
    public void A_command_for_an_unknown_read_model_is_refused(string verb)
    {
        _cluster.Start("a");
        var (state, result) = _cluster.Command(Enum.Parse<CommandVerb>(verb), "nowhere");
        Assert.Equal(CommandState.Refused, state);
        Assert.Contains("has no read model 'nowhere'", result, StringComparison.Ordinal);
    }

    [Fact]
    public void A_swap_of_the_live_read_model_for_itself_is_refused()
    {
        _cluster.Start("a");
        Assert.Contains("the live one already", _cluster.Command(CommandVerb.Swap, "p").Result, StringComparison.Ordinal);
    }

    [Fact]
    public void A_handler_that_throws_refuses_the_command_with_its_message()
    {
        var process = _cluster.Start("a");
        process.Handler.Fault = _ => new InvalidOperationException("no such column");
        var (state, result) = _cluster.Command(CommandVerb.Reset, "p", 0);
        Assert.Equal(CommandState.Refused, state);
        Assert.Equal("The handler's PrepareAsync failed: no such column.", result);
        Assert.Equal(_cluster.Begun, _cluster.Tables.Versions["p"].Row.Epoch);
    }

    [Fact]
    public void Transient_errors_of_a_handler_are_retried()
    {
        var process = _cluster.Start("a");
        process.Handler.Fault = call => process.Handler.Calls.Count < 4 ? new TimeoutException("deadlock") : null;
        Assert.Equal(CommandState.Done, _cluster.Command(CommandVerb.Reset, "p", 0).State);
    }

    [Fact]
    public void A_command_whose_answer_was_lost_is_not_executed_again()
    {
        var process = _cluster.Start("a");
        process.Store.LateFault = call => call == "reset" ? new TimeoutException("lost") : null;
        Assert.Equal(CommandState.Done, _cluster.Command(CommandVerb.Reset, "p", 0).State);
        _cluster.Advance(30);
        Assert.Equal(_cluster.Begun + 1, _cluster.Tables.Versions["p"].Row.Epoch);
    }

    [Fact]
    public void While_a_handler_is_slow_claims_are_renewed_and_lanes_go_on()
    {
        var process = _cluster.Start("a");
        var slow = new TaskCompletionSource();
        process.Handler.Slow = () => slow.Task;
        var command = _cluster.Tables.Command(CommandVerb.Reset, "p", 0);
        _cluster.Advance(60);
        Assert.Equal("0,1,2,3", process.Lanes());
        Assert.Equal("a", _cluster.Tables.Versions["p"].Lanes[0].OwnerAt(_cluster.Clock.Now));
        slow.SetResult();
        _cluster.Advance(1);
        Assert.Equal(CommandState.Done, _cluster.Tables.Became(command).State);
        Assert.Equal(2, process.Handler.Calls.Count);
    }

    [Fact]
    public void A_command_that_ended_after_the_tables_were_read_is_not_executed_again()
    {
        var process = _cluster.Start("a");
        var (handler, read, reads) = (new TaskCompletionSource(), new TaskCompletionSource(), 0);
        process.Handler.Slow = () => handler.Task;
        var command = _cluster.Tables.Command(CommandVerb.Reset, "p", 0);
        _cluster.AdvanceUntil(() => process.Handler.Calls.Count == 2, "the handler to be called");
        // The second wait of a call comes after its effect.
        process.Store.Slow = call => call == "read" && ++reads == 2 ? read.Task : Task.CompletedTask;
        _cluster.AdvanceUntil(() => reads == 2, "the tables to be read");
        handler.SetResult();
        Assert.False(_cluster.Tables.IsWaiting(command));
        read.SetResult();
        _cluster.Advance(5);
        Assert.Equal(["prepare p", "prepare p"], process.Handler.Calls);
        Assert.Equal(_cluster.Begun + 1, _cluster.Tables.Versions["p"].Row.Epoch);
    }

    [Fact]
    public void Only_the_leader_executes_commands()
    {
        var (first, second) = (_cluster.Start("a"), _cluster.Start("b"));
        _cluster.Command(CommandVerb.Reset, "p", 0);
        Assert.Equal(["prepare p", "prepare p"], first.Handler.Calls);
        Assert.Empty(second.Handler.Calls);
        first.Die();
        Assert.Equal(CommandState.Done, _cluster.Command(CommandVerb.Reset, "p", 0).State);
        Assert.Equal(["prepare p"], second.Handler.Calls);
    }

    [Fact]
    public void A_command_for_a_lane_is_left_to_the_worker()
    {
        var process = _cluster.Start("a");
        var command = _cluster.Tables.Command(CommandVerb.Retry, "p", id: "account-1");
        _cluster.Advance(5);
        Assert.Equal([command], process.Worker().Commands);
        Assert.True(_cluster.Tables.IsWaiting(command));
    }

    [Theory]
    [InlineData(nameof(CommandVerb.Reset))]
    [InlineData(nameof(CommandVerb.SetLanes))]
    [InlineData(nameof(CommandVerb.Rebuild))]
    public void A_command_for_the_whole_version_is_done_within_2_seconds_whatever_a_thousand_retries_do(string verb)
    {
        var process = _cluster.Start("a");
        for (var number = 0; number < 1_000; number++)
            _cluster.Tables.Command(CommandVerb.Retry, "p", id: $"account-{number}");
        // The leader refuses these one after the other.
        for (var number = 0; number < 1_000; number++)
            _cluster.Tables.Command(CommandVerb.Retry, "nowhere", id: $"account-{number}");
        _cluster.Advance(1);
        var command = _cluster.Tables.Command(Enum.Parse<CommandVerb>(verb), verb == nameof(CommandVerb.Rebuild) ? "q" : "p", 0, lanes: 2);
        _cluster.AdvanceUntil(() => !_cluster.Tables.IsWaiting(command), "the command", seconds: 2);
        Assert.Equal(CommandState.Done, _cluster.Tables.Became(command).State);
        Assert.All(process.Workers[0].Commands, retry => Assert.True(_cluster.Tables.IsWaiting(retry)));
    }

    [Fact]
    public void Commands_are_executed_in_order_one_after_the_other()
    {
        var process = _cluster.Start("a");
        var last = Enumerable.Range(1, 5).Select(i => _cluster.Tables.Command(CommandVerb.Rebuild, i.ToString(CultureInfo.InvariantCulture))).ToList()[^1];
        _cluster.AdvanceUntil(() => !_cluster.Tables.IsWaiting(last), "the last");
        Assert.Equal(["prepare p", "prepare 1", "prepare 2", "prepare 3", "prepare 4", "prepare 5"], process.Handler.Calls);
    }
}
