using Akka.Actor;
using Throttled.Projections;

namespace Akka.Persistence.Query.Throttled.Tests.Documents;

internal sealed record PlaceOrder(string Product);

internal sealed record OrderPlaced(string Product);

internal enum OrderAnswer
{
    Shown,
    NotShownYet,
}

// docs/projections.md
internal sealed class OrderActor : ReceivePersistentActor
{
    public OrderActor(string persistenceId, ProjectionWaits waits)
    {
        PersistenceId = persistenceId;
        RecoverAny(_ => { });
        Command<PlaceOrder>(order => Persist(new OrderPlaced(order.Product), _ =>
        {
            // The last two run outside the actor, so they use nothing of it. The order is placed, whatever the read model does.
            waits.WaitForAsync("orders", PersistenceId, LastSequenceNr, TimeSpan.FromSeconds(5)).PipeTo(
                Sender,
                Self,
                success: () => OrderAnswer.Shown,
                failure: error => error is TimeoutException ? OrderAnswer.NotShownYet : new Status.Failure(error));
        }));
        Command<string>(text => Sender.Tell(text));
    }

    public override string PersistenceId { get; }
}
