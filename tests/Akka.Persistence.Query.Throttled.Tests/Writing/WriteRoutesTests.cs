using System.Collections.Immutable;
using Akka.Actor;
using Akka.Persistence.Sharded;

namespace Akka.Persistence.Query.Throttled.Tests.Writing;

/// <summary>Each message of the journal protocol goes to the shard of its persistence id.</summary>
public sealed class WriteRoutesTests : Akka.TestKit.Xunit2.TestKit
{
    private static readonly ShardMap Map = ShardMap.Even(4);

    private readonly List<IActorRef> _watched = [];
    private readonly WriteRoutes _routes;

    public WriteRoutesTests() => _routes = new(Map, _watched.Add);

    [Fact]
    public void A_message_with_an_id_goes_to_the_shard_of_its_slice()
    {
        var seen = new HashSet<int>();
        foreach (var id in Enumerable.Range(0, 100).Select(i => $"id-{i * 7919}").Append("").Append("größe-赤"))
        {
            var shard = Map.ShardOf(id);
            seen.Add(shard);
            Assert.Equal(shard, ShardOf(new ReplayMessages(1, 9, 9, id, TestActor)));
            Assert.Equal(shard, ShardOf(Write(TestActor, Event(id), Deferred("x"), Event(id))));
            if (id.Length > 0)
                Assert.Equal(shard, ShardOf(new DeleteMessagesTo(id, 9, TestActor)));
        }
        Assert.Equal([0, 1, 2, 3], seen.Order());
    }

    [Fact]
    public void Deferred_messages_alone_go_to_the_shard_of_the_last_events_of_the_actor()
    {
        var (one, other) = (CreateTestProbe().Ref, CreateTestProbe().Ref);
        _routes.Of(Write(one, Event(IdIn(3))));
        _routes.Of(Write(other, Event(IdIn(1))));
        Assert.Equal(3, ShardOf(Write(one, Deferred("a"), Deferred("b"))));
        Assert.Equal(1, ShardOf(Write(other, Deferred("a"))));
        _routes.Of(Write(one, Deferred("c"), Event(IdIn(0))));
        Assert.Equal(0, ShardOf(Write(one, Deferred("d"))));
    }

    [Fact]
    public void Deferred_messages_of_an_actor_without_events_are_returned_at_once()
    {
        _routes.Of(new ReplayMessages(1, 9, 9, IdIn(2), TestActor));
        Assert.IsType<WriteRoute.Reply>(_routes.Of(Write(TestActor, Deferred("a"))));
        Assert.IsType<WriteRoute.Reply>(_routes.Of(Write(TestActor)));
    }

    [Fact]
    public void An_actor_is_watched_once_and_forgotten_when_it_ends()
    {
        var actor = CreateTestProbe().Ref;
        _routes.Of(Write(actor, Event(IdIn(1))));
        _routes.Of(Write(actor, Event(IdIn(1))));
        _routes.Of(Write(actor, Event(IdIn(2))));
        Assert.Equal([actor], _watched);
        Assert.Equal(1, _routes.Count);
        _routes.Forget(actor);
        _routes.Forget(actor);
        Assert.Equal(0, _routes.Count);
        Assert.IsType<WriteRoute.Reply>(_routes.Of(Write(actor, Deferred("a"))));
    }

    [Fact]
    public void An_actor_that_only_replays_or_deletes_is_not_remembered()
    {
        _routes.Of(new ReplayMessages(1, 9, 9, "id", TestActor));
        _routes.Of(new DeleteMessagesTo("id", 9, TestActor));
        Assert.Equal(0, _routes.Count);
    }

    [Fact]
    public void A_reference_that_cannot_be_watched_is_not_remembered()
    {
        Assert.Equal(1, ShardOf(Write(Sys.DeadLetters, Event(IdIn(1)))));
        Assert.Equal(1, ShardOf(Write(ActorRefs.Nobody, Event(IdIn(1)))));
        Assert.Empty(_watched);
        Assert.Equal(0, _routes.Count);
    }

    [Fact]
    public void Events_of_several_shards_are_refused_together()
    {
        var refused = Assert.IsType<WriteRoute.Refused>(_routes.Of(Write(TestActor, Event(IdIn(2)), Event(IdIn(0)))));
        Assert.Equal(
            "Events of the shards 2 and 0 are in one write; they must be of one shard. Write the events of each persistence id separately.",
            refused.Cause.Message);
        Assert.Equal(0, _routes.Count);
    }

    [Fact]
    public void Events_of_several_ids_of_one_shard_are_written_together() =>
        Assert.Equal(2, ShardOf(Write(TestActor, Event(IdIn(2)), Event(IdIn(2, "other")))));

    [Fact]
    public void A_message_without_a_required_id_is_refused() =>
        Assert.IsType<ArgumentException>(Assert.IsType<WriteRoute.Refused>(_routes.Of(new ReplayMessages(1, 9, 9, null!, TestActor))).Cause);

    [Fact]
    public void A_message_outside_the_journal_protocol_is_not_routed()
    {
        Assert.IsType<WriteRoute.None>(_routes.Of("hello"));
        Assert.IsType<WriteRoute.None>(_routes.Of(new RecoverySuccess(1)));
    }

    private static string IdIn(int shard, string name = "id") =>
        Enumerable.Range(0, int.MaxValue).Select(i => $"{name}-{i}").First(id => Map.ShardOf(id) == shard);

    private static AtomicWrite Event(string id) => new(ImmutableList.Create<IPersistentRepresentation>(new Persistent("e", 1, id)));

    private static DeferredMessage Deferred(string what) => new(what, ActorRefs.Nobody);

    private static WriteMessages Write(IActorRef actor, params IPersistentEnvelope[] messages) => new(messages, actor, 1);

    private int ShardOf(object message) => Assert.IsType<WriteRoute.To>(_routes.Of(message)).Shard;
}
