using Akka.Persistence;
using Akka.Persistence.Journal;

internal sealed record Placed(string Customer, string Product, int Count);

internal sealed record Shipped(DateTimeOffset At);

/// <summary>A command to one order.</summary>
internal sealed record ToOrder(string Id, object Command);

internal sealed record Ship;

/// <summary>One order. Its state comes from its events.</summary>
internal sealed class Order : ReceivePersistentActor
{
    private Placed? _placed;
    private bool _isShipped;

    public Order(string id)
    {
        PersistenceId = $"order-{id}";
        RecoverAny(Apply);
        Command<Placed>(placed => Once(_placed is not null, placed));
        // The command may come again after a restart, but its event is persisted only once.
        Command<Ship>(_ => Once(_isShipped, new Shipped(DateTimeOffset.UtcNow)));
    }

    public override string PersistenceId { get; }

    private void Once(bool isDone, object happened)
    {
        var sender = Sender;
        if (!isDone)
            Persist(happened, Apply);
        DeferAsync(happened, each => sender.Tell(each is not Placed || each.Equals(_placed)));
    }

    private void Apply(object each) => (_placed, _isShipped) = (_placed ?? each as Placed, _isShipped || each is Shipped);
}

/// <summary>Forwards each command to the actor of its order.</summary>
internal sealed class Orders : ReceiveActor
{
    public Orders() => Receive<ToOrder>(each =>
    {
        // An actor's name cannot have all characters.
        var name = Uri.EscapeDataString(each.Id);
        var child = Context.Child(name);
        (child.IsNobody() ? Context.ActorOf(Props.Create(() => new Order(each.Id)), name) : child).Forward(each.Command);
    });
}

/// <summary>Tags the events that are read by tag.</summary>
internal sealed class Tagger : IWriteEventAdapter
{
    internal const string Tag = "placed";

    public string Manifest(object evt) => "";

    public object ToJournal(object evt) => evt is Placed ? new Tagged(evt, [Tag]) : evt;
}
