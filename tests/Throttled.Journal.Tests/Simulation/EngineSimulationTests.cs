namespace Throttled.Simulation;

public sealed class EngineSimulationTests
{
    [Fact]
    public void Every_reader_gets_each_event_once_and_in_order() => RunAll(300);

    [Fact, Trait("Category", "Long")]
    public void Every_reader_gets_each_event_once_and_in_order_in_very_many_runs() => RunAll(LongShare.Of(400_000));

    private static void RunAll(int seeds) =>
        Seeds.ForEach(seeds, seed => new EngineSimulation(seed), simulation => simulation.Run());
}
