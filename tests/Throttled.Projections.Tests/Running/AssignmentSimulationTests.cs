using Throttled.Testing.Scripted;

namespace Throttled.Projections.Tests.Running;

public sealed class AssignmentSimulationTests
{
    [Fact]
    public void With_any_assignments_no_event_is_handled_twice_and_at_last_each_assigned_lane_runs() => Simulate(100);

    [Fact]
    [Trait("Category", "Long")]
    public void With_any_assignments_no_event_is_handled_twice_and_at_last_each_assigned_lane_runs_for_long() => Simulate(LongShare.Of(20_000));

    private static void Simulate(int seeds)
    {
        var (commits, fenced, drains) = (0, 0, 0);
        Seeds.ForEach(seeds, seed => new AssignmentSimulation(seed), simulation =>
        {
            simulation.Run();
            Interlocked.Add(ref commits, simulation.Commits);
            Interlocked.Add(ref fenced, simulation.Fenced);
            Interlocked.Add(ref drains, simulation.Drains);
        });
        // A simulation without conflicts would prove nothing.
        Assert.All([commits, fenced, drains], count => Assert.InRange(count, 1, int.MaxValue));
    }
}
