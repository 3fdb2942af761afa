using Throttled.Projections.Databases;
using Throttled.Projections.Lanes;
using Throttled.Projections.Tables;

namespace Throttled.Projections.Tests.Lanes;

public sealed class LaneWriterTests : IDisposable
{
    private readonly ScriptedLaneStore _store = new();
    private readonly Poison _poison = new();
    private readonly List<JournalEvent> _journal = [.. Enumerable.Range(1, 6).Select(ordering => Make.Event(ordering, ordering % 2 == 0 ? "even" : "odd"))];
    private ScriptedRunner _runner = null!;

    [Fact]
    public void A_dead_letter_has_its_error_and_attempts_and_later_events_of_its_id_queue_behind_it()
    {
        _poison.Set(3, PoisonKind.Throws);
        Open(FailurePolicy.DeadLetter);
        _runner.Step(_journal, 6);
        Assert.Equal([1, 2, 4, 6], Effects);
        Assert.Equal([(3, 4), (5, 0)], _store.DeadLetters.Select(deadLetter => (deadLetter.Event.Ordering, deadLetter.Attempts)));
        Assert.Contains("poison", _store.DeadLetters[0].Error, StringComparison.Ordinal);
        Assert.Null(_store.DeadLetters[1].Error);
    }

    [Fact]
    public void An_event_that_cannot_be_decoded_is_tried_once()
    {
        _poison.Set(3, PoisonKind.Undecodable);
        Open(FailurePolicy.DeadLetter);
        _runner.Step(_journal, 6);
        Assert.Equal(1, _store.DeadLetters[0].Attempts);
    }

    [Theory]
    [InlineData(FailurePolicy.Stop)]
    [InlineData(FailurePolicy.Skip)]
    [InlineData(FailurePolicy.DeadLetter)]
    public void Without_a_decoder_a_lane_stops_at_an_event_of_Akka_and_names_the_remedy(FailurePolicy policy)
    {
        Open(policy, hasDecoder: false);
        var stopped = Assert.Throws<LaneStoppedException>(() => _runner.Step([new() { PersistenceId = "a", SequenceNumber = 1, Ordering = 1, SerializerId = 1, Payload = "{}"u8.ToArray() }], 1));
        Assert.Contains("Akka.NET wrote the event by its serializer 1", stopped.Message, StringComparison.Ordinal);
        Assert.Contains("'Decoder = ThrottledReadJournal.PayloadDecoder(system)'", stopped.Message, StringComparison.Ordinal);
        Assert.Empty(_store.DeadLetters);
        Assert.Equal(0, _store.Offsets[0].Ordering);
    }

    [Fact]
    public void Without_a_decoder_only_JSON_with_the_type_names_of_Akka_is_refused()
    {
        Open(FailurePolicy.Stop, hasDecoder: false);
        _runner.Step([new() { PersistenceId = "a", SequenceNumber = 1, Ordering = 1, Payload = """{"amount":1}"""u8.ToArray() }], 1);
        var stopped = Assert.Throws<LaneStoppedException>(() => _runner.Step(
            [new() { PersistenceId = "a", SequenceNumber = 2, Ordering = 2, Payload = """{"$type":"Bank.Opened, Bank"}"""u8.ToArray() }], 2));
        Assert.Contains("as a Bank.Opened, Bank", stopped.Message, StringComparison.Ordinal);
        Assert.Equal([1], Effects);
    }

    [Fact]
    public void Only_the_skipped_event_has_no_effect()
    {
        _poison.Set(3, PoisonKind.Throws);
        Open(FailurePolicy.Skip);
        _runner.Step(_journal, 6);
        Assert.Equal([1, 2, 4, 5, 6], Effects);
    }

    [Fact]
    public void A_lane_that_stops_at_an_event_has_handled_the_events_before_it_and_none_after_it()
    {
        _poison.Set(3, PoisonKind.Throws);
        Open(FailurePolicy.Stop);
        var stopped = Assert.Throws<LaneStoppedException>(() => _runner.Step(_journal, 6));
        Assert.Equal("The event odd 3 (3) failed (poison)", stopped.Message);
        Assert.Equal([1, 2], Effects);
        Assert.Equal(2, _store.Offsets[0].Ordering);
    }

    [Fact]
    public void A_lane_that_reaches_the_limit_of_dead_letters_stops_with_the_remedy()
    {
        _poison.Set(1, PoisonKind.Throws);
        Open(FailurePolicy.DeadLetter, maxDeadLetters: 2);
        var stopped = Assert.Throws<LaneStoppedException>(() => _runner.Step(_journal, 6));
        Assert.Contains("The lane has reached its share of 'MaxDeadLetters' (2) at", stopped.Message, StringComparison.Ordinal);
        Assert.Contains("retry or discard dead letters, then resume", stopped.Message, StringComparison.Ordinal);
        Assert.InRange(_store.DeadLetters.Count, 1, 2);
    }

    [Fact]
    public void A_transaction_that_the_handler_ended_is_a_failure_of_the_handler_and_not_of_the_database()
    {
        Open(FailurePolicy.Stop);
        _store.Fate = call => call == StoreCall.Commit ? throw new InvalidOperationException("completed") : CallFate.Done;
        var stopped = Assert.Throws<LaneStoppedException>(() => _runner.Step(_journal, 6));
        Assert.Contains("ended while the handler used it", stopped.Message, StringComparison.Ordinal);
        Assert.Empty(Effects);
    }

    [Theory]
    [InlineData(FailurePolicy.Skip)]
    [InlineData(FailurePolicy.DeadLetter)]
    public void A_lane_whose_offset_the_database_refuses_stops_with_the_error(FailurePolicy policy)
    {
        _poison.Set(3, PoisonKind.Throws);
        Open(policy);
        _store.Fate = call => call == StoreCall.Commit && _store.Effects.Count == 2
            ? throw new ReadModelFault("read only", isTransient: false)
            : CallFate.Done;
        var stopped = Assert.Throws<LaneStoppedException>(() => _runner.Step(_journal, 6));
        Assert.Contains("read only", stopped.Message, StringComparison.Ordinal);
        Assert.Equal([1, 2], Effects);
    }

    [Fact]
    public void A_lane_that_cannot_store_an_offset_without_events_stops_with_the_error()
    {
        Open(FailurePolicy.Skip);
        _store.Fate = call => call == StoreCall.Commit ? throw new ReadModelFault("read only", isTransient: false) : CallFate.Done;
        var stopped = Assert.Throws<LaneStoppedException>(() => _runner.Step([], 6));
        Assert.Contains("read only", stopped.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void A_fenced_lane_writes_nothing()
    {
        Open(FailurePolicy.Stop);
        _store.MoveElsewhere(_store.Offsets[0].Slices, 2);
        Assert.Throws<FencedException>(() => _runner.Step(_journal, 6));
        Assert.Empty(Effects);
        Assert.Equal(2, _store.Offsets[0].Ordering);
    }

    [Fact]
    public void A_commit_whose_answer_was_lost_is_not_repeated()
    {
        var commits = 0;
        Open(FailurePolicy.Stop);
        _store.Fate = call => call == StoreCall.Commit && commits++ == 0 ? CallFate.AnswerLost : CallFate.Done;
        _runner.Step(_journal, 6);
        Assert.Equal(1, commits);
        Assert.Equal([1, 2, 3, 4, 5, 6], Effects);
    }

    [Fact]
    public void A_commit_by_another_runner_with_other_dead_letters_fences_the_lane()
    {
        Open(FailurePolicy.DeadLetter);
        var isFirst = true;
        _store.Fate = call =>
        {
            if (call != StoreCall.Commit || !isFirst)
                return CallFate.Done;
            isFirst = false;
            // Meanwhile it fails for the other one.
            _poison.Set(3, PoisonKind.Throws);
            return CallFate.Fails;
        };
        using var other = Runner(FailurePolicy.DeadLetter);
        var reads = 0;
        var before = _store.Fate;
        _store.Fate = call => call == StoreCall.ReadLane && reads++ == 0 ? Rival() : before(call);
        Assert.Throws<FencedException>(() => _runner.Step(_journal, 6));
        Assert.Equal([1, 2, 4, 6], Effects);

        CallFate Rival()
        {
            other.Step(_journal, 6);
            return CallFate.Done;
        }
    }

    public void Dispose() => _runner.Dispose();

    private IEnumerable<long> Effects => _store.Effects.Select(stored => stored.Ordering);

    private void Open(FailurePolicy policy, int maxDeadLetters = 100, bool hasDecoder = true)
    {
        _store.LayOut(1);
        _runner = Runner(policy, maxDeadLetters, hasDecoder);
    }

    private ScriptedRunner Runner(FailurePolicy policy, int maxDeadLetters = 100, bool hasDecoder = true)
    {
        var options = new ProjectionOptions
        {
            Name = "balances", Lanes = 1, MaxAttempts = 4, OnFailure = policy, MaxDeadLetters = maxDeadLetters, Decoder = hasDecoder ? _poison.Decode : null,
            TimeProvider = new ImmediateClock(),
        };
        var context = Make.Context(new ScriptedBatchHandler(_store, _poison), options, _store);
        return new(context, _store.LayOut(1, keepsEpoch: true)[0], _store.Epoch);
    }
}
