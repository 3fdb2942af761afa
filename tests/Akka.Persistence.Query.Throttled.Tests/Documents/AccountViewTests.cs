using Akka.Actor;
using Akka.Persistence.Query.Throttled.Tests.Envelopes;

namespace Akka.Persistence.Query.Throttled.Tests.Documents;

public sealed class AccountViewTests : EnvelopeKit
{
    [Fact]
    public async Task A_receiver_ignores_the_messages_of_its_former_subscription()
    {
        await AppendAsync(Stored(1, new Kept(1)), Stored(2, new Kept(2)));
        var journal = Open();
        var view = Sys.ActorOf(Props.Create(() => new AccountView(journal, "a")));
        await Wait.UntilAsync(async () => await view.Ask("latest") is Kept(2), () => "the second event");
        journal.Subscribe(journal.EventsByPersistenceId("a", 0, long.MaxValue), TestActor, demand: 1);
        var former = await ExpectMsgAsync<EventsDelivered>();
        view.Tell(former);
        Assert.Equal(new Kept(2), await view.Ask("latest"));
        view.Tell(new SubscriptionFailed(former.Subscription, new InvalidOperationException("The former subscription failed.")));
        // A view that failed would have restarted, without an event.
        Assert.Equal(new Kept(2), await view.Ask("latest"));
    }
}
