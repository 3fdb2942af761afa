using Throttled.Journal.Pages;

namespace Throttled.Simulation;

/// <summary>The invariants that hold after every step.</summary>
internal sealed class SimulationChecks
{
    private readonly World _world;
    private readonly SimulationPlan _plan;
    private readonly SimulatedCrowd _crowd;
    private readonly SimulationTrace _trace;
    private readonly OutageChecks _outage;
    private readonly QueueChecks _queues;
    private long? _highWaterMark;
    private Exception? _broken;

    internal SimulationChecks(World world, SimulationPlan plan, SimulatedCrowd crowd, SimulationTrace trace, Coverage coverage)
    {
        (_world, _plan, _crowd, _trace) = (world, plan, crowd, trace);
        _outage = new(world);
        _queues = new(world, plan, coverage);
        world.Database.Began = call => Keep(() => Began(call));
        // A row takes more than one step if the budget is that small.
        world.Database.WentOn = () => Keep(() => Assert.False(world.Engine.Budget().IsExhausted, "A statement continues though the bytes ran out."));
    }

    /// <summary>The lowest ordering that may still appear; null for none.</summary>
    internal required Func<long?> LowestPending { get; init; }

    /// <summary>Runs one item of the scheduler.</summary>
    internal bool StepScheduler(Random random)
    {
        if (_world.Scheduler.Count == 0)
            return false;
        _queues.Before();
        _world.Scheduler.Step(random);
        _queues.After();
        return true;
    }

    internal void Check()
    {
        Assert.True(_broken is null, _broken?.Message);
        Assert.Null(_world.Log.Defect);
        CheckStatements();
        CheckMemory();
        CheckHighWaterMark();
        _outage.Check();
        foreach (var reader in _crowd.Readers)
            reader.Check();
    }

    /// <summary>Forgets the high-water mark, because the journal was rewound.</summary>
    internal void ForgetHighWaterMark() => _highWaterMark = null;

    // The engine would treat an exception within a call as a failure of the database.
    private void Keep(Action check) => _broken ??= Record.Exception(check);

    private void Began(ScriptedCall call)
    {
        _trace.Add(call.Kind.ToString(), call.Asks.Count > 0 ? call.Asks[0].PersistenceId : null, call.Ordered?.After ?? call.Keys?.From ?? call.Asks.Count);
        _outage.Began(call);
        var isTails = IsTails(call);
        Assert.False(isTails && _world.Database.StillLost.Any(IsTails), "The tail polls while the server still runs its last poll.");
    }

    private static bool IsTails(ScriptedCall call) => call.Kind is CallKind.Anchor or CallKind.Keys or CallKind.Rows;

    // Counted as on the server, with cancelled statements that have not ended and lost statements that still run.
    private void CheckStatements()
    {
        Assert.True(_world.Database.RunningPages <= _world.Permits.Held, "A statement runs without a permit.");
        Assert.True(_world.Database.RunningPages <= _plan.Options.MaxConcurrentQueries, "More statements run than allowed.");
        Assert.True(_world.Database.RunningReserved <= 1, "More than one statement runs on the reserved permit.");
        Assert.Equal(_world.Engine.Slots(), _world.Permits.Held);
        Assert.False(_world.Engine.Outage().IsAvailable && _world.Permits.Limit > _plan.Ceiling, "There are more permits than the server can take.");
        CheckLeft();
    }

    // Calls for the database have arrived there.
    private void CheckLeft()
    {
        if (_world.Scheduler.Count > 0)
            return;
        foreach (var run in _world.Engine.Parts().Scheduler.Running())
        {
            if (run.Batch.Count == 0)
                Assert.Contains(_world.Database.Pending, call => call.IsPages && call.IsCancelled);
        }
    }

    private void CheckMemory()
    {
        var used = _world.Engine.Budget().Used;
        Assert.InRange(used, 0, _plan.Options.MaxBufferedBytes + _plan.BytesBeyond);
        var there = _world.Engine.ReorderBuffer().Bytes();
        foreach (var reader in _crowd.Readers)
        {
            Assert.False(reader.HoldsUncounted, "A reader reads a page whose bytes are not counted.");
            there += reader.BytesHeld;
            reader.CheckRoom(_plan.Options.MaxBufferSize);
        }
        Assert.True(there <= used, "There are more bytes than are counted.");
    }

    // If orderings are reused, the high-water mark is too high until the tail notices it.
    private void CheckHighWaterMark()
    {
        var now = _world.Engine.HighWaterMark().Value;
        if (_plan.ReusesOrderings || _world.Journal.IsRewindUnnoticed || !_world.Engine.HasFollowers())
        {
            _highWaterMark = null;
            return;
        }
        Assert.True(LowestPending() is not { } open || now is null || open > now, "A transaction may commit at or below the high-water mark, or it has not been replayed.");
        Assert.True(now is null || _highWaterMark is null || now >= _highWaterMark, "The high-water mark moved back.");
        _highWaterMark = now;
    }
}
