using Throttled.Testing;
using Throttled.Testing.Scripted;

namespace Throttled.Simulation;

public sealed class EngineSimulationTests
{
    [Fact]
    public void Whatever_happens_every_reader_gets_what_is_there_once_and_in_order() => RunAll(1_000);

    [Fact, Trait("Category", "Long")]
    public void Whatever_happens_in_very_many_ways_every_reader_gets_what_is_there_once_and_in_order() => RunAll(LongShare.Of(400_000));

    private static void RunAll(int seeds) =>
        Seeds.ForEach(seeds, seed => new EngineSimulation(seed), simulation => simulation.Run());
}
