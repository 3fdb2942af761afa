using Throttled.Testing.Scripted;

namespace Throttled.Projections.Tests.Running;

public sealed class ProjectionSimulationTests
{
    [Fact]
    public void Whatever_happens_a_read_model_has_each_event_of_its_source_after_its_start_once() => Simulate(3);

    [Fact]
    [Trait("Category", "Long")]
    public void Whatever_happens_a_read_model_has_each_event_of_its_source_after_its_start_once_for_long() => Simulate(LongShare.Of(200));

    private static void Simulate(int seeds)
    {
        var (events, found) = (0, 0);
        Seeds.ForEach(seeds, seed => new ProjectionSimulation(seed), simulation =>
        {
            simulation.Run();
            Interlocked.Add(ref events, simulation.Events);
            Interlocked.Add(ref found, simulation.Found);
        });
        // A simulation in which nothing is handled or waited for would prove nothing.
        Assert.InRange(events, 1, int.MaxValue);
        Assert.InRange(found, 1, int.MaxValue);
    }
}
