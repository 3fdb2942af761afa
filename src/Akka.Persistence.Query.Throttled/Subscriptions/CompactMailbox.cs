using Akka.Actor;
using Akka.Configuration;
using Akka.Dispatch;
using Akka.Dispatch.MessageQueues;

namespace Akka.Persistence.Query.Throttled.Subscriptions;

/// <summary>
/// An unbounded mailbox that is small while it is empty. Akka.NET's default mailbox keeps room for 32 messages, some 1,100 bytes. Akka.NET creates
/// this class by its name in the configuration.
/// </summary>
internal sealed class CompactMailbox : MailboxType, IProducesMessageQueue<LinkedMessageQueue>
{
    private static readonly Config Definition = ConfigurationFactory.ParseString(
        $"{Subscription.CompactMailbox}.mailbox-type = \"{typeof(CompactMailbox).FullName}, {typeof(CompactMailbox).Assembly.GetName().Name}\"");

    public CompactMailbox(Akka.Actor.Settings settings, Config config)
        : base(settings, config)
    {
    }

    /// <summary>Defines the mailbox in an actor system, unless its configuration does.</summary>
    internal static void DefineIn(ActorSystem system)
    {
        if (!system.Settings.Config.HasPath(Subscription.CompactMailbox))
            system.Settings.InjectTopLevelFallback(Definition);
    }

    public override IMessageQueue Create(IActorRef owner, ActorSystem system) => new LinkedMessageQueue();
}

/// <summary>
/// A queue of linked messages: any thread enqueues, and one thread at a time dequeues ("Non-intrusive MPSC node-based queue", Dmitry Vyukov, as in
/// the JVM's Akka). To enqueue allocates 40 bytes.
/// </summary>
internal sealed class LinkedMessageQueue : IMessageQueue, IUnboundedMessageQueueSemantics
{
    // The node of the last message that was taken. The next message is in its successor.
    private Node _taken;
    private Node _newest;

    internal LinkedMessageQueue() => _taken = _newest = new(default);

    public bool HasMessages => Volatile.Read(ref _taken) != Volatile.Read(ref _newest);

    /// <summary>The number of messages. On another thread than the receiver's, it may be out of date.</summary>
    public int Count
    {
        get
        {
            var count = 0;
            for (var node = Volatile.Read(ref _taken).Next; node is not null; node = node.Next)
                count++;
            return count;
        }
    }

    public void Enqueue(IActorRef receiver, Envelope envelope)
    {
        var node = new Node(envelope);
        Interlocked.Exchange(ref _newest, node).Next = node;
    }

    public bool TryDequeue(out Envelope envelope)
    {
        var taken = _taken;
        envelope = default;
        if (taken == Volatile.Read(ref _newest))
            return false;
        var next = taken.Next;
        // Another thread is between the two writes of Enqueue.
        for (var wait = new SpinWait(); next is null; next = taken.Next)
            wait.SpinOnce();
        envelope = next.TakeEnvelope();
        // An old node that refers to a newer one keeps it alive until the next collection of the old generation.
        taken.Next = null;
        Volatile.Write(ref _taken, next);
        return true;
    }

    public void CleanUp(IActorRef owner, IMessageQueue deadletters)
    {
        while (TryDequeue(out var envelope))
            deadletters.Enqueue(owner, envelope);
    }

    private sealed class Node(Envelope envelope)
    {
        private volatile Node? _next;
        private Envelope _envelope = envelope;

        internal Node? Next
        {
            get => _next;
            set => _next = value;
        }

        /// <summary>Returns the message. The node stays in the queue, so it must not keep the message alive.</summary>
        internal Envelope TakeEnvelope()
        {
            var taken = _envelope;
            _envelope = default;
            return taken;
        }
    }
}
