using Throttled.Journal.Queries;
using Throttled.Testing.Scripted;

namespace Throttled.Simulation;

/// <summary>How a simulation ends: all comes to rest, nobody misses anything, and when all have left, nothing is left behind.</summary>
internal sealed class SimulationEnd(World world, SimulationPlan plan, SimulatedCrowd crowd, SimulationChecks checks, Random random)
{
    private const int Many = 100_000;

    // Of what ends after the disposal has begun the loop is told nothing: the keys and the queries, all closed, of a round whose rows were
    // being read go with the engine, and nobody asks any more whether a statement that was lost has ended.
    private static readonly string[] OfDisposed = ["engine._tail._round._notified.", "engine._tail._round._forOrdered", "engine._brokenSessions."];

    private int _permitted = Many;

    internal required Action StepDatabase { get; init; }

    /// <summary>Whether all servers have the same.</summary>
    internal required Func<bool> IsLevel { get; init; }

    /// <param name="closing">The disposal of the engine, where it was disposed of in the middle.</param>
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
        // Those that slept find nothing missing either.
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

    // Disposed of in the middle: every reader ends, and every statement has ended.
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
            reader.IsAsleep = false;
    }

    private void Quiesce()
    {
        for (var round = 0; round < 1500; round++)
        {
            Settle();
            if (IsLevel() && crowd.Readers.All(reader => reader.IsAsleep || reader.IsSatisfied()))
            {
                CheckReaders();
                return;
            }
            if (world.Clock.NextRing is { } ring)
                world.Clock.Advance(ring > world.Clock.Now ? ring - world.Clock.Now : TimeSpan.Zero);
        }
        Assert.Fail("A reader does not get what is there.");
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
                any |= !reader.IsAsleep && reader.Step();
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
        foreach (var reader in crowd.Readers.Where(reader => !reader.IsAsleep))
            reader.CheckAtEnd();
        foreach (var run in crowd.Readers.OfType<OrderedRun>())
            run.CheckPassed();
    }

    // All have what is there: one look an interval, however many they are, and none where nobody follows. What failed
    // before is waited for: a pause is five seconds at most, and shorter ones follow it.
    private void CheckIdle()
    {
        // A lost statement of which nobody can tell is over when its time-out is; and the tail may have yet to come to the end.
        for (var second = 0; second < 60 && (world.Engine.Lost() > 0 || IsBehind()); second++)
            Pass(TimeSpan.FromSeconds(1));
        // Where the database cannot tell who is open, the time has to.
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

    // A statement that was lost when nobody was left to look whether the database is back keeps its permit until somebody comes.
    // Where the journal goes away once more meanwhile, because connections lead to another server, somebody else has to come.
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
