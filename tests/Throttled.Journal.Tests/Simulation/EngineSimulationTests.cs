namespace Throttled.Journal.Tests.Simulation;

public sealed class EngineSimulationTests
{
    [Fact]
    public void Whatever_happens_every_reader_gets_what_is_there_once_and_in_order() =>
        Seeds.ForEach(20_000, seed => new EngineSimulation(seed), simulation => simulation.Run());
}
