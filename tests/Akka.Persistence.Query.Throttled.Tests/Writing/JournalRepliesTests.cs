using System.Collections.Immutable;
using Akka.Actor;
using Akka.Persistence.Sharded;

namespace Akka.Persistence.Query.Throttled.Tests.Writing;

/// <summary>A message that reaches no journal gets the answers that a journal would give.</summary>
public sealed class JournalRepliesTests : Akka.TestKit.Xunit2.TestKit
{
    private static readonly Exception Cause = new InvalidOperationException("unavailable");

    [Fact]
    public void Each_event_of_a_write_fails_in_order_and_deferred_messages_are_returned()
    {
        var sender = CreateTestProbe().Ref;
        Assert.True(JournalReplies.Failed(new(Write(sender), sender), Cause, TestActor));
        Assert.Equal(2, ExpectMsg<WriteMessagesFailed>().WriteCount);
        ExpectLoop("first", sender);
        foreach (var number in (long[])[1, 2, 3])
        {
            var failure = ExpectMsg<WriteMessageFailure>();
            Assert.Equal((number, 7, Cause), (failure.Persistent.SequenceNr, failure.ActorInstanceId, failure.Cause));
            Assert.Equal(sender, LastSender);
        }
        ExpectLoop("last", sender);
        ExpectNoMsg(TimeSpan.Zero);
    }

    [Fact]
    public void Replays_and_deletions_fail()
    {
        Assert.True(JournalReplies.Failed(new(new ReplayMessages(1, 9, 9, "id", TestActor), TestActor), Cause, TestActor));
        Assert.Equal(Cause, ExpectMsg<ReplayMessagesFailure>().Cause);
        Assert.True(JournalReplies.Failed(new(new DeleteMessagesTo("id", 5, TestActor), TestActor), Cause, TestActor));
        Assert.Equal(new DeleteMessagesFailure(Cause, 5), ExpectMsg<DeleteMessagesFailure>());
    }

    [Fact]
    public void A_message_outside_the_journal_protocol_has_no_answer()
    {
        Assert.False(JournalReplies.Failed(new("hello", TestActor), Cause, TestActor));
        ExpectNoMsg(TimeSpan.Zero);
    }

    [Fact]
    public void Deferred_messages_alone_are_returned_in_order()
    {
        var sender = CreateTestProbe().Ref;
        JournalReplies.Looped(new([new DeferredMessage("a", sender), new DeferredMessage("b", sender)], TestActor, 7), TestActor);
        ExpectMsg<WriteMessagesSuccessful>();
        ExpectLoop("a", sender);
        ExpectLoop("b", sender);
    }

    private void ExpectLoop(string message, IActorRef sender)
    {
        Assert.Equal(new LoopMessageSuccess(message, 7), ExpectMsg<LoopMessageSuccess>());
        Assert.Equal(sender, LastSender);
    }

    private WriteMessages Write(IActorRef sender) => new(
        [
            new DeferredMessage("first", sender),
            new AtomicWrite(Event(1, sender)),
            new AtomicWrite(ImmutableList.Create(Event(2, sender), Event(3, sender))),
            new DeferredMessage("last", sender),
        ],
        TestActor,
        7);

    private static IPersistentRepresentation Event(long number, IActorRef sender) => new Persistent("e", number, "id", sender: sender);
}
