using Throttled.Journal.Database;

namespace Throttled.Simulation;

/// <summary>Faults of the database: failed statements, lost statements that still run, and outages.</summary>
internal sealed class SimulatedFaults(SimulationPlan plan, World world, Random random, Coverage coverage)
{
    private static readonly FaultKind[] Kinds =
        [FaultKind.ConnectionLost, FaultKind.Transient, FaultKind.TimedOut, FaultKind.TooManyConnections, FaultKind.MissingTable, FaultKind.Fatal];

    private bool _isOver;

    /// <summary>Called with a call that failed at random.</summary>
    internal Action<ScriptedCall, FaultKind> Failed { get; init; } = (_, _) => { };

    /// <summary>Called with a call that succeeded.</summary>
    internal Action<ScriptedCall> Worked { get; init; } = _ => { };

    /// <summary>Called when the server goes down.</summary>
    internal Action WentDown { get; init; } = () => { };

    /// <returns>What happened; null if nothing could happen.</returns>
    internal string? Step(double faults)
    {
        var pending = world.Database.Pending;
        if (pending.Count == 0)
            return null;
        if (Draw(pending) is not { } call)
            return null;
        if (random.NextDouble() >= faults || call.IsCancelled)
            return GoOn(call);
        if (random.Next(5) == 0)
            return Lose(call);
        var kind = Kinds[random.Next(Kinds.Length)];
        // Before the first success this fault ends queries. If lost statements cannot be checked, their time-out decides. Other tests cover both.
        if (kind == FaultKind.Fatal && ((!world.Engine.Outage().HasSucceeded && !plan.HasRefusals) || call.Kind == CallKind.StillRunning))
            return GoOn(call);
        Failed(call, kind);
        world.Database.Fail(call, kind);
        return kind.ToString();
    }

    /// <summary>As time passes, the server ends a lost statement, goes down, or comes back.</summary>
    internal string? TimeGoesBy()
    {
        var lost = world.Database.StillLost;
        if (lost.Count > 0 && random.Next(4) == 0)
        {
            world.Database.EndLost(lost[random.Next(lost.Count)]);
            return "the server ends a lost statement";
        }
        if (world.Database.IsDown)
            return ComeBack();
        return plan.HasOutages && random.Next(4) == 0 ? GoDown() : null;
    }

    /// <summary>Ends all faults.</summary>
    internal void End()
    {
        _isOver = true;
        world.Database.IsDown = false;
        foreach (var call in world.Database.StillLost)
            world.Database.EndLost(call);
    }

    // If pages are slow, all other calls run before them.
    private ScriptedCall? Draw(IReadOnlyList<ScriptedCall> pending)
    {
        if (!plan.HasSlowPages || _isOver || random.Next(12) == 0)
            return pending[random.Next(pending.Count)];
        return pending.FirstOrDefault(call => !call.IsPages);
    }

    private string GoOn(ScriptedCall call)
    {
        coverage.AddIf(call.IsPages && call.Asks.Count > 1, "a shared statement by persistence id");
        coverage.AddIf(call.Ordered?.Results.Count > 1, "a shared statement in journal order");
        world.Database.Step(call);
        if (call.Task.IsCompletedSuccessfully)
            Worked(call);
        return call.IsCancelled ? "a cancellation is acknowledged" : "goes on";
    }

    private string Lose(ScriptedCall call)
    {
        world.Database.Lose(call, isStuck: random.Next(2) == 0);
        return call.IsPages ? "a page statement is lost" : "a reserved statement is lost";
    }

    // Running calls break off. Another server takes over, on which open transactions have other names.
    private string GoDown()
    {
        foreach (var call in world.Database.Pending.ToList())
        {
            if (random.Next(3) == 0)
                Lose(call);
            else
                world.Database.Fail(call, FaultKind.ConnectionLost);
        }
        world.Database.IsDown = true;
        world.Journal.FailOver();
        WentDown();
        return "the server goes away";
    }

    // Not before the outage was noticed, if anything can notice it. All connections of a pool break.
    private string? ComeBack()
    {
        if ((world.Engine.Outage().IsAvailable && world.Engine.HasFollowers()) || random.Next(3) != 0)
            return null;
        world.Database.IsDown = false;
        return "the server comes back";
    }
}
