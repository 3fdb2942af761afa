using Akka.Actor;
using Akka.Configuration;
using Akka.Dispatch.MessageQueues;
using Akka.Persistence.Query.Throttled.Subscriptions;
using Akka.Persistence.Query.Throttled.Tests.Envelopes;
using Akka.TestKit.TestActors;

namespace Akka.Persistence.Query.Throttled.Tests.Subscriptions;

public sealed class CompactMailboxTests : EnvelopeKit
{
    private const int Senders = 8;
    private const int Messages = 20_000;

    [Fact]
    public void Messages_leave_the_queue_in_order()
    {
        var queue = new LinkedMessageQueue();
        Assert.Equal((false, 0, false), (queue.HasMessages, queue.Count, queue.TryDequeue(out _)));
        queue.Enqueue(TestActor, new("one", TestActor));
        queue.Enqueue(TestActor, new("two", ActorRefs.NoSender));
        Assert.Equal((true, 2), (queue.HasMessages, queue.Count));
        Assert.True(queue.TryDequeue(out var one));
        Assert.Equal(("one", TestActor), ((string)one.Message, one.Sender));
        Assert.Equal((true, 1), (queue.HasMessages, queue.Count));
        Assert.True(queue.TryDequeue(out var two));
        Assert.Equal(("two", ActorRefs.NoSender), ((string)two.Message, two.Sender));
        Assert.Equal((false, 0, false), (queue.HasMessages, queue.Count, queue.TryDequeue(out _)));
    }

    [Fact]
    public void A_message_that_was_taken_is_not_kept_alive()
    {
        var queue = new LinkedMessageQueue();
        var message = Taken(queue);
        GC.Collect();
        Assert.False(message.IsAlive);
        Assert.False(queue.HasMessages);
    }

    [Fact]
    public void Messages_of_many_threads_arrive_once_and_in_the_order_of_each_thread()
    {
        var queue = new LinkedMessageQueue();
        var last = new int[Senders];
        var threads = Enumerable.Range(0, Senders).Select(sender => new Thread(() =>
        {
            for (var number = 1; number <= Messages; number++)
                queue.Enqueue(TestActor, new((sender, number), ActorRefs.NoSender));
        })).ToList();
        threads.ForEach(each => each.Start());
        for (var left = Senders * Messages; left > 0;)
        {
            // A queue that has messages gives one, even if another thread is adding one.
            if (!queue.HasMessages)
                continue;
            Assert.True(queue.TryDequeue(out var envelope));
            var (sender, number) = ((int, int))envelope.Message;
            Assert.Equal(++last[sender], number);
            left--;
        }
        threads.ForEach(each => each.Join());
        Assert.False(queue.TryDequeue(out _));
    }

    [Fact]
    public void A_queue_of_a_stopped_actor_leaves_its_messages_to_dead_letters()
    {
        var (queue, dead) = (new LinkedMessageQueue(), new UnboundedMessageQueue());
        queue.Enqueue(TestActor, new(1, TestActor));
        queue.Enqueue(TestActor, new(2, TestActor));
        queue.CleanUp(TestActor, dead);
        Assert.Equal((0, 2), (queue.Count, dead.Count));
    }

    [Fact]
    public async Task An_open_journal_defines_the_mailbox_for_its_actor_system()
    {
        Assert.Throws<ConfigurationException>(Create);
        Open();
        Open();
        var actor = Create();
        actor.Tell("one");
        await ExpectMsgAsync("one");
        Assert.IsType<LinkedMessageQueue>(((ActorCell)((ActorRefWithCell)actor).Underlying!).Mailbox!.MessageQueue);

        IActorRef Create() => Sys.ActorOf(EchoActor.Props(this).WithMailbox(Subscription.CompactMailbox));
    }

    private static WeakReference Taken(LinkedMessageQueue queue)
    {
        var message = new object();
        queue.Enqueue(ActorRefs.Nobody, new(message, ActorRefs.NoSender));
        queue.TryDequeue(out _);
        return new(message);
    }
}
