using Throttled.Testing.Scripted;

namespace Throttled.Projections.Tests.Lanes;

public sealed class LaneSimulationTests
{
    [Fact]
    public void Every_event_has_its_effect_once_in_order_or_is_a_dead_letter_or_skipped_whatever_fails() => Run(500);

    [Fact, Trait("Category", "Long")]
    public void Every_event_has_its_effect_once_in_order_or_is_a_dead_letter_or_skipped_whatever_fails_for_long() => Run(LongShare.Of(100_000));

    private static void Run(int seeds) => Seeds.ForEach(seeds, seed => new LaneSimulation(seed), simulation => simulation.Run());
}
