using Throttled.Testing;
using Throttled.Testing.Scripted;

namespace Throttled.Projections.Tests.Running;

public sealed class RunnerSimulationTests
{
    [Fact]
    public void Whatever_happens_to_processes_and_database_in_the_end_each_lane_runs_once_where_it_is_claimed() => Simulate(100);

    [Fact]
    [Trait("Category", "Long")]
    public void Whatever_happens_to_processes_and_database_in_the_end_each_lane_runs_once_where_it_is_claimed_for_long() => Simulate(LongShare.Of(20_000));

    private static void Simulate(int seeds)
    {
        var (commits, fenced) = (0, 0);
        Seeds.ForEach(seeds, seed => new RunnerSimulation(seed), simulation =>
        {
            simulation.Run();
            Interlocked.Add(ref commits, simulation.Commits);
            Interlocked.Add(ref fenced, simulation.Fenced);
        });
        // A simulation in which nobody is ever in another's way shows nothing.
        Assert.InRange(commits, 1, int.MaxValue);
        Assert.InRange(fenced, 1, int.MaxValue);
    }
}
