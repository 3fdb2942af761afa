using Throttled.Journal.Queries;

namespace Throttled.Simulation;

/// <summary>The end of a simulation: all comes to rest, no reader misses anything, and nothing is left when all have left.</summary>
internal sealed class SimulationEnd(World world, SimulationPlan plan, SimulatedCrowd crowd, SimulationChecks checks, Random random)
{
    private const int Many = 100_000;

    // The loop does not process what ends after the disposal began. The keys and closed queries of a round whose rows were being read
    // stay, and so do lost statements.
    private static readonly string[] OfDisposed = ["engine._tail._round._notified.", "engine._tail._round._forOrdered", "engine._brokenSessions."];

    private int _permitted = Many;

    internal required Action StepDatabase { get; init; }

    /// <summary>Whether all servers have the same rows.</summary>
    internal required Func<bool> IsLevel { get; init; }

    /// <param name="closing">The disposal, if the engine was disposed during the run; otherwise null.</param>
    internal void Run(Task? closing)
    {
        if (closing is null)
            RunToTheEnd();
        else
            RunOut(closing);
    }

    private void RunToTheEnd()
    {
        Quiesce();
        // Paused readers miss nothing either.
        WakeAll();
        Quiesce();
        if (random.Next(4) == 0)
            CheckIdle();
        Leave();
        CheckEmpty();
        world.Close();
        Assert.True(world.Database.IsDisposed);
        Assert.Equal(0, world.Clock.Alive);
    }

    // After a disposal during the run, every reader and every statement has ended.
    private void RunOut(Task closing)
    {
        WakeAll();
        Settle();
        Assert.True(closing.IsCompletedSuccessfully, "Disposal does not end.");
        Assert.True(world.Database.IsDisposed);
        Assert.All(crowd.Readers, reader => Assert.True(reader.HasEnded || reader.IsClosed, "A reader outlives the engine."));
        Leave();
        Assert.Equal(world.Engine.Slots(), world.Permits.Held);
        Assert.Equal(0, world.Clock.Alive);
        Assert.Equal(0, world.Engine.Budget().Used);
        Assert.DoesNotContain(Remains.Of(world.Engine), part => !OfDisposed.Any(of => part.StartsWith(of, StringComparison.Ordinal)));
    }

    private void WakeAll()
    {
        foreach (var reader in crowd.Readers)
            reader.IsPaused = false;
    }

    private void Quiesce()
    {
        for (var round = 0; round < 1500; round++)
        {
            Settle();
            if (IsLevel() && crowd.Readers.All(reader => reader.IsPaused || reader.IsSatisfied()))
            {
                CheckReaders();
                return;
            }
            if (world.Clock.NextRing is { } ring)
                world.Clock.Advance(ring > world.Clock.Now ? ring - world.Clock.Now : TimeSpan.Zero);
        }
        Assert.Fail("A reader does not get all events.");
    }

    private void Settle()
    {
        bool any;
        do
        {
            any = checks.StepScheduler(random);
            any |= world.Database.Pending.Count > 0;
            StepDatabase();
            foreach (var reader in crowd.Readers)
                any |= !reader.IsPaused && reader.Step();
            checks.Check();
            Assert.True(_permitted-- > 0, "It does not come to rest.");
        }
        while (any);
    }

    private void Pass(TimeSpan time)
    {
        var end = world.Clock.Now + time;
        Settle();
        while (world.Clock.NextRing is { } ring && ring <= end)
        {
            world.Clock.Advance(ring > world.Clock.Now ? ring - world.Clock.Now : TimeSpan.Zero);
            Settle();
        }
        world.Clock.Advance(end - world.Clock.Now);
    }

    private void CheckReaders()
    {
        foreach (var reader in crowd.Readers.Where(reader => !reader.IsPaused))
            reader.CheckAtEnd();
        foreach (var run in crowd.Readers.OfType<OrderedRun>())
            run.CheckPassed();
    }

    // If all queries are idle, there is one poll an interval for any number of queries, and none without live queries. After failures
    // the pauses are at most five seconds.
    private void CheckIdle()
    {
        // A lost statement whose state is unknown is over after its time-out. The tail may also still be catching up.
        for (var second = 0; second < 60 && (world.Engine.Lost() > 0 || IsBehind()); second++)
            Pass(TimeSpan.FromSeconds(1));
        // If open transactions are unknown, GapTimeout decides.
        Pass(TimeSpan.FromSeconds(plan.Faults > 0 || plan.HasOutages || plan.HasTwoServers || plan.HasOpeningFaults || plan.HasRefusals ? 8 : 1.5) + (plan.KnowsOpenTransactions ? TimeSpan.Zero : plan.Options.GapTimeout));
        var calls = world.Database.CallCount;
        Pass(10 * plan.Options.RefreshInterval);
        Assert.InRange(world.Database.CallCount - calls, 0, world.Engine.HasFollowers() ? 13 : 0);
    }

    private bool IsBehind() => world.Engine.HasFollowers() && world.Engine.HighWaterMark().HighestSeen < (world.Journal.Last?.Ordering ?? 0);

    private void Leave()
    {
        foreach (var reader in crowd.Readers)
            reader.Close();
        Settle();
    }

    // A statement that was lost when no query was left to probe the database keeps its permit until the next query.
    // If the journal fails again because connections lead to another server, another query is needed.
    private void AskForLost()
    {
        for (var comers = 0; comers < 3 && world.Engine.Lost() > 0; comers++)
        {
            using (var reader = new PolledReader(world.Engine, new ByIdQuery("nobody", new(0, 0), IsLive: false)))
            {
                for (var second = 0; second < 60 && (!reader.HasEnded || world.Engine.Lost() > 0); second++)
                {
                    reader.Step();
                    Pass(TimeSpan.FromSeconds(1));
                }
            }
            Pass(TimeSpan.FromSeconds(80));
        }
    }

    private void CheckEmpty()
    {
        Pass(TimeSpan.FromSeconds(80));
        AskForLost();
        Assert.Equal(0, world.Permits.Held);
        Assert.Equal(0, world.Engine.Budget().Used);
        Assert.False(world.Engine.HasFollowers());
        Assert.Equal(0, world.Clock.Set);
        Assert.Empty(Remains.Of(world.Engine));
        var calls = world.Database.CallCount;
        Pass(TimeSpan.FromSeconds(5));
        Assert.Equal(calls, world.Database.CallCount);
    }
}
