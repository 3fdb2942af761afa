using System.Collections.Concurrent;
using Akka.Persistence.Query.Throttled.Tests.Envelopes;
using Akka.Streams;
using Akka.Streams.Dsl;
using Akka.Streams.Supervision;

namespace Akka.Persistence.Query.Throttled.Tests.Streams;

/// <summary>The supervision strategy of a stream decides about events that cannot be decoded.</summary>
public class SupervisionTests : EnvelopeKit
{
    private readonly ConcurrentQueue<Exception> _decided = new();

    [Theory]
    [MemberData(nameof(AllQueries))]
    public async Task A_stream_that_resumes_continues_after_undecodable_events(string query)
    {
        await AppendAsync(Undecodable(1), Stored(2, new Kept(2)), Undecodable(3), Undecodable(4), Stored(5, new Kept(5)), Undecodable(6), Stored(7, new Kept(7)));
        var events = Query(Open("max-buffer-size = 2"), query).AddAttributes(Strategy(Directive.Resume));
        var found = await Way.ReadAsync(events, 3);
        Assert.Equal([2L, 5, 7], found.Select(each => each.SequenceNr));
        Assert.Equal([1L, 3, 4, 6], _decided.Cast<UndecodableEventException>().Select(each => each.SequenceNr));
    }

    [Fact]
    public async Task A_stream_that_restarts_continues_after_undecodable_events()
    {
        await AppendAsync(Stored(1, new Kept(1)), Undecodable(2), Stored(3, new Kept(3)));
        var found = await Way.ReadAsync(Query(Open(), "current all").AddAttributes(Strategy(Directive.Restart)));
        Assert.Equal([1L, 3], found.Select(each => each.SequenceNr));
    }

    [Fact]
    public async Task A_stream_that_stops_fails()
    {
        await AppendAsync(Stored(1, new Kept(1)), Undecodable(2));
        var error = Assert.IsType<UndecodableEventException>(await Way.FailureAsync(Query(Open(), "current all").AddAttributes(Strategy(Directive.Stop))));
        Assert.Same(error, Assert.Single(_decided));
    }

    [Fact]
    public async Task The_strategy_of_the_materializer_applies_if_the_stream_has_none()
    {
        await AppendAsync(Undecodable(1), Stored(2, new Kept(2)));
        using var resuming = ActorMaterializer.Create(Sys, ActorMaterializerSettings.Create(Sys).WithSupervisionStrategy(Deciders.ResumingDecider));
        var found = await Query(Open(), "current by id").RunWith(Sink.Seq<EventEnvelope>(), resuming).WithinAsync("the end");
        Assert.Equal(2, Assert.Single(found).SequenceNr);
    }

    [Theory]
    [InlineData("skip", 1)]
    [InlineData("deliver", 2)]
    public async Task The_strategy_is_not_called_for_skipped_or_delivered_events(string action, int count)
    {
        await AppendAsync(Undecodable(1), Stored(2, new Kept(2)));
        var found = await Way.ReadAsync(Query(Open($"on-undecodable-event = {action}"), "current all").AddAttributes(Strategy(Directive.Stop)));
        Assert.Equal(count, found.Count);
        Assert.Empty(_decided);
    }

    [Fact]
    public async Task The_strategy_is_not_called_for_a_failure_of_the_query()
    {
        var journal = Open("default.journal.columns.message = no_such_column");
        Assert.IsType<JournalException>(await Way.FailureAsync(Query(journal, "current all").AddAttributes(Strategy(Directive.Resume))));
        Assert.Empty(_decided);
    }

    private Attributes Strategy(Directive directive) => ActorAttributes.CreateSupervisionStrategy(error =>
    {
        _decided.Enqueue(error);
        return directive;
    });

    private static JournalEvent Undecodable(long number) => new()
    {
        PersistenceId = "a", SequenceNumber = number, Payload = new byte[1], SerializerId = 999, Manifest = "none", Tags = ["tag"],
    };
}
