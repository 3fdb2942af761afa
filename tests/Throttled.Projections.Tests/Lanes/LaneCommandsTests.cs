using Throttled.Projections.Databases;
using Throttled.Projections.Tables;

namespace Throttled.Projections.Tests.Lanes;

public sealed class LaneCommandsTests : IDisposable
{
    private readonly ScriptedLaneStore _store = new();
    private readonly Poison _poison = new();
    private readonly List<JournalEvent> _journal = [];
    private ScriptedRunner _runner = null!;
    private long _command;

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    [InlineData(5)]
    public void A_retry_of_all_frees_the_id_with_any_batch_size(int batchSize)
    {
        AddDeadLetters(batchSize, events: 4);
        _poison.Repair();
        Assert.Equal((CommandState.Done, "4 events retried"), Execute(CommandVerb.Retry));
        Assert.Equal([1, 2, 3, 4], Effects);
        Persist(5);
        Assert.Equal([1, 2, 3, 4, 5], Effects);
    }

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    [InlineData(5)]
    public void A_discard_of_all_frees_the_id_with_any_batch_size(int batchSize)
    {
        AddDeadLetters(batchSize, events: 4);
        Assert.Equal((CommandState.Done, "4 events discarded"), Execute(CommandVerb.Discard));
        Persist(5);
        Assert.Equal([5], Effects);
    }

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    public void A_retry_of_the_only_dead_letter_frees_the_id(int batchSize)
    {
        AddDeadLetters(batchSize, events: 1);
        _poison.Repair();
        Assert.Equal((CommandState.Done, "1 event retried"), Execute(CommandVerb.Retry, 1));
        Persist(2);
        Assert.Equal([1, 2], Effects);
    }

    [Fact]
    public void Only_the_first_dead_letter_of_an_id_can_be_retried_alone()
    {
        AddDeadLetters(10, events: 3);
        var (state, result) = Execute(CommandVerb.Retry, 2);
        Assert.Equal(CommandState.Refused, state);
        Assert.Equal("sequence number 2 of 'a' is not its first dead letter; retry or discard 1 first", result);
        Assert.Equal(3, _store.DeadLetters.Count);
    }

    [Fact]
    public void Events_behind_a_discarded_one_wait_until_they_are_retried()
    {
        AddDeadLetters(10, events: 3);
        Assert.Equal((CommandState.Done, "1 event discarded"), Execute(CommandVerb.Discard, 1));
        Persist(4);
        Assert.Empty(Effects);
        Assert.Equal((CommandState.Done, "3 events retried"), Execute(CommandVerb.Retry));
        Assert.Equal([2, 3, 4], Effects);
    }

    [Theory]
    [InlineData(1)]
    [InlineData(10)]
    public void A_queued_event_is_discarded_alone_and_the_last_one_frees_the_id(int batchSize)
    {
        AddDeadLetters(batchSize, events: 3);
        Assert.Equal((CommandState.Done, "1 event discarded"), Execute(CommandVerb.Discard, 2));
        Assert.Equal([1, 3], _store.DeadLetters.Select(deadLetter => deadLetter.Event.Ordering));
        Assert.Equal((CommandState.Refused, "'a' has no dead letter with sequence number 2"), Execute(CommandVerb.Discard, 2));
        Execute(CommandVerb.Discard, 1);
        Execute(CommandVerb.Discard, 3);
        Persist(4);
        Assert.Equal([4], Effects);
    }

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    public void A_retry_that_fails_on_a_later_page_counts_those_of_the_earlier_ones(int batchSize)
    {
        AddDeadLetters(batchSize, events: 5);
        _poison.Repair();
        _poison.Set(4, PoisonKind.Throws);
        Assert.Equal((CommandState.Refused, "3 events retried; sequence number 4 failed again: poison"), Execute(CommandVerb.Retry));
    }

    [Fact]
    public void A_retry_stops_at_the_event_that_fails_again_and_stores_it_with_one_more_attempt()
    {
        AddDeadLetters(10, events: 4);
        _poison.Repair();
        _poison.Set(3, PoisonKind.Throws);
        var (state, result) = Execute(CommandVerb.Retry);
        Assert.Equal(CommandState.Refused, state);
        Assert.Equal("2 events retried; sequence number 3 failed again: poison", result);
        Assert.Equal([1, 2], Effects);
        Assert.Equal([(3, 1, true), (4, 0, false)], _store.DeadLetters.Select(deadLetter => (deadLetter.Event.Ordering, deadLetter.Attempts, deadLetter.Error is not null)));
    }

    [Theory]
    [InlineData(nameof(CommandVerb.Retry), "4 events retried")]
    [InlineData(nameof(CommandVerb.Discard), "4 events discarded")]
    public void A_command_with_many_dead_letters_is_executed_in_parts_of_a_batch_each(string verb, string result)
    {
        AddDeadLetters(2, events: 4);
        _poison.Repair();
        var command = new CommandRow(1, "balances", Enum.Parse<CommandVerb>(verb)) { PersistenceId = "a" };
        Assert.False(_runner.ExecutePart(command));
        Assert.Equal((2, CommandState.Waiting), (_store.DeadLetters.Count, _store.Command(1).State));
        // Between two parts the lane handles events. Those of the id queue.
        Persist(5);
        Assert.Equal(3, _store.DeadLetters.Count);
        Execute(CommandVerb.Discard, 5);
        Assert.True(_runner.ExecutePart(command));
        Assert.Equal((CommandState.Done, result), _store.Command(1));
        Persist(6);
        Assert.Equal(6, _store.Effects[^1].Ordering);
    }

    [Fact]
    public void A_command_whose_rest_another_one_removes_between_two_parts_is_done()
    {
        AddDeadLetters(2, events: 4);
        _poison.Repair();
        var retry = new CommandRow(7, "balances", CommandVerb.Retry) { PersistenceId = "a" };
        Assert.False(_runner.ExecutePart(retry));
        Execute(CommandVerb.Discard);
        Assert.True(_runner.ExecutePart(retry));
        Assert.Equal((CommandState.Done, "2 events retried"), _store.Command(7));
    }

    [Fact]
    public void A_part_of_a_command_that_was_withdrawn_meanwhile_is_rolled_back_and_the_lane_goes_on()
    {
        AddDeadLetters(2, events: 4);
        _poison.Repair();
        var retry = new CommandRow(7, "balances", CommandVerb.Retry) { PersistenceId = "a" };
        Assert.False(_runner.ExecutePart(retry));
        _store.Withdraw(7);
        Assert.True(_runner.ExecutePart(retry));
        Assert.Equal([3, 4], _store.DeadLetters.Select(deadLetter => deadLetter.Event.Ordering));
        Assert.Equal([1, 2], Effects);
        Persist(5);
        Assert.Equal((CommandState.Done, "3 events retried"), Execute(CommandVerb.Retry));
        Assert.Equal([1, 2, 3, 4, 5], Effects);
    }

    [Fact]
    public void An_id_without_dead_letters_is_refused()
    {
        AddDeadLetters(10, events: 1);
        Assert.Equal((CommandState.Refused, "'b' has no dead letter"), Execute(CommandVerb.Retry, id: "b"));
        Assert.Equal((CommandState.Refused, "'b' has no dead letter with sequence number 7"), Execute(CommandVerb.Discard, 7, "b"));
    }

    [Fact]
    public void An_at_least_once_handler_gets_each_dead_letter_once_if_a_later_one_fails_again()
    {
        AddDeadLetters(10, events: 4, isSingle: true);
        _poison.Repair();
        _poison.Set(3, PoisonKind.Throws);
        Execute(CommandVerb.Retry);
        Assert.Equal([1, 2], Effects);
    }

    [Fact]
    public void A_command_is_done_once_if_the_answer_to_its_commit_was_lost()
    {
        AddDeadLetters(10, events: 2);
        _poison.Repair();
        _store.Fate = call => call == StoreCall.Commit ? CallFate.AnswerLost : CallFate.Done;
        Assert.Throws<FencedException>(() => Execute(CommandVerb.Retry));
        Assert.Equal((CommandState.Done, "2 events retried"), _store.Command(2));
        Assert.Equal([1, 2], Effects);
        Assert.Empty(_store.Breaches);
    }

    [Fact]
    public void A_dead_letter_that_another_runner_has_retried_is_not_stored_again()
    {
        AddDeadLetters(10, events: 1);
        var begun = 0;
        _store.Fate = call => call == StoreCall.Begin && ++begun == 2 ? Rival() : CallFate.Done;
        Assert.Throws<FencedException>(() => Execute(CommandVerb.Retry));
        Assert.Empty(_store.DeadLetters);

        CallFate Rival()
        {
            using var other = Open(10, isSingle: false);
            _poison.Repair();
            other.Execute(new(77, "balances", CommandVerb.Retry) { PersistenceId = "a" });
            return CallFate.Done;
        }
    }

    [Fact]
    public void A_retried_event_that_turns_out_to_be_of_another_type_is_not_handled()
    {
        _poison.Set(1, PoisonKind.Undecodable);
        _runner = Open(10, isSingle: false, ProjectionSource.All.OfTypes(typeof(string)));
        Persist(1);
        Assert.Equal([1], _store.DeadLetters.Select(deadLetter => deadLetter.Event.Ordering));
        _poison.Repair();
        Assert.Equal((CommandState.Done, "1 event retried"), Execute(CommandVerb.Retry));
        Assert.Empty(_store.DeadLetters);
        Assert.Empty(Effects);
    }

    public void Dispose() => _runner.Dispose();

    private IEnumerable<long> Effects => _store.Effects.Select(stored => stored.Ordering);

    // The first event fails, and the others queue behind it.
    private void AddDeadLetters(int batchSize, int events, bool isSingle = false)
    {
        _poison.Set(1, PoisonKind.Throws);
        _runner = Open(batchSize, isSingle);
        for (var ordering = 1; ordering <= events; ordering++)
            Persist(ordering);
        Assert.Equal(events, _store.DeadLetters.Count);
    }

    private ScriptedRunner Open(int batchSize, bool isSingle, ProjectionSource? source = null)
    {
        var options = new ProjectionOptions
        {
            Name = "balances", BatchSize = batchSize, MaxAttempts = 2, OnFailure = FailurePolicy.DeadLetter, Decoder = _poison.Decode,
            TimeProvider = new ImmediateClock(), Source = source ?? ProjectionSource.All,
        };
        ProjectionHandler handler = isSingle ? new ScriptedAtLeastOnceHandler(_store, _poison) : new ScriptedBatchHandler(_store, _poison);
        var lane = _store.LayOut(1, keepsEpoch: true)[0];
        return new(Make.Context(handler, options, _store), lane, _store.Epoch);
    }

    private void Persist(long ordering)
    {
        _journal.Add(Make.Event(ordering));
        _runner.Step(_journal, ordering);
    }

    private (CommandState State, string Result) Execute(CommandVerb verb, long? number = null, string id = "a")
    {
        _runner.Execute(new(_command = Math.Max(_command, 1) + 1, "balances", verb) { PersistenceId = id, SequenceNumber = number });
        return _store.Command(_command);
    }
}
