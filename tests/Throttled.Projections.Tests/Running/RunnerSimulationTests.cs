using Throttled.Testing.Scripted;

namespace Throttled.Projections.Tests.Running;

public sealed class RunnerSimulationTests
{
    [Fact]
    public void After_any_faults_each_lane_runs_once_in_the_process_that_claims_it() => Simulate(100);

    [Fact]
    [Trait("Category", "Long")]
    public void After_any_faults_each_lane_runs_once_in_the_process_that_claims_it_for_long() => Simulate(LongShare.Of(20_000));

    private static void Simulate(int seeds)
    {
        var (commits, fenced) = (0, 0);
        Seeds.ForEach(seeds, seed => new RunnerSimulation(seed), simulation =>
        {
            simulation.Run();
            Interlocked.Add(ref commits, simulation.Commits);
            Interlocked.Add(ref fenced, simulation.Fenced);
        });
        // A simulation without conflicts would prove nothing.
        Assert.InRange(commits, 1, int.MaxValue);
        Assert.InRange(fenced, 1, int.MaxValue);
    }
}
