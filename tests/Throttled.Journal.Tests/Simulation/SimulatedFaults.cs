using Throttled.Journal.Database;
using Throttled.Testing.Scripted;

namespace Throttled.Simulation;

/// <summary>What befalls the database: statements that fail, that are lost and run on, and times in which all of it is away.</summary>
internal sealed class SimulatedFaults(SimulationPlan plan, World world, Random random, Coverage coverage)
{
    private static readonly FaultKind[] Kinds =
        [FaultKind.ConnectionLost, FaultKind.Transient, FaultKind.TimedOut, FaultKind.TooManyConnections, FaultKind.MissingTable, FaultKind.Fatal];

    private bool _isOver;

    /// <summary>Told of a call that failed by chance.</summary>
    internal Action<ScriptedCall, FaultKind> Failed { get; init; } = (_, _) => { };

    /// <summary>Told of a call that ended well.</summary>
    internal Action<ScriptedCall> Worked { get; init; } = _ => { };

    /// <summary>Told when the server goes away.</summary>
    internal Action WentDown { get; init; } = () => { };

    /// <returns>What happened; null where nothing can.</returns>
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
        // Before anything has worked, this ends queries; and who may not ask about lost statements has to trust in time. Those are other claims.
        if (kind == FaultKind.Fatal && ((!world.Engine.Outage().HasSucceeded && !plan.HasRefusals) || call.Kind == CallKind.StillRunning))
            return GoOn(call);
        Failed(call, kind);
        world.Database.Fail(call, kind);
        return kind.ToString();
    }

    /// <summary>What time brings: the server ends a statement that was lost, goes away, or comes back.</summary>
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

    /// <summary>All is well from now on.</summary>
    internal void End()
    {
        _isOver = true;
        world.Database.IsDown = false;
        foreach (var call in world.Database.StillLost)
            world.Database.EndLost(call);
    }

    // Where pages are slow, all else goes before them.
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

    // What runs breaks off at once. Another server goes on in its place, where all who are open have other names.
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

    // Not before somebody has noticed, where anybody can: a pool's connections all break.
    private string? ComeBack()
    {
        if ((world.Engine.Outage().IsAvailable && world.Engine.HasFollowers()) || random.Next(3) != 0)
            return null;
        world.Database.IsDown = false;
        return "the server comes back";
    }
}
