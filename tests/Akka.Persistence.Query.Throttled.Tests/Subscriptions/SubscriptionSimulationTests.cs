using Throttled.Testing.Scripted;

namespace Akka.Persistence.Query.Throttled.Tests.Subscriptions;

public sealed class SubscriptionSimulationTests
{
    [Fact]
    public void In_any_order_of_calls_items_come_once_in_order_on_demand_and_then_the_end() =>
        Seeds.ForEach(20_000, static seed => new SubscriptionSimulation(seed), static simulation => simulation.Run());
}
