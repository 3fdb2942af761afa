using Throttled.Journal.Rows;

namespace Throttled.Simulation;

/// <summary>
/// The whole engine with random writers, readers and faults, all drawn from one seed. It checks the invariants after each
/// step. At the end it checks that every reader got all events.
/// </summary>
internal sealed class EngineSimulation : IDisposable
{
    private readonly Random _random;
    private readonly SimulationPlan _plan;
    private readonly World _world;
    private readonly SimulatedWriters _writers;
    private readonly SimulatedCrowd _crowd;
    private readonly SimulatedFaults _faults;
    private readonly SimulatedServers? _servers;
    private readonly SimulatedFailovers? _failovers;
    private readonly SimulatedEvidence _evidence;
    private readonly SimulatedRefusals _refusals;
    private readonly SimulationTrace _trace = new();
    private readonly SimulationChecks _checks;
    private readonly SimulationEnd _end;
    private TimeSpan _openSince;
    private int _noticed;
    private bool _isOver;
    private (int Rows, long? HighWaterMark) _buffered;

    internal EngineSimulation(int seed)
    {
        _random = new Random(seed);
        var chance = new Random(seed ^ 0x5A5A5A5A);
        _plan = SimulationPlan.Draw(_random).With(new(~seed)).WithLies(chance).WithFailovers(new(seed ^ 0x3C3C3C3C));
        _world = new(
            options => _plan.Options with { TimeProvider = options.TimeProvider, LoggerFactory = options.LoggerFactory },
            _plan.ReusesOrderings,
            _random,
            _plan.KeysPerPoll,
            _plan.Processors);
        _world.Database.KnowsOpenTransactions = _plan.KnowsOpenTransactions;
        _world.Database.ReadsLateRows = _plan.ReadsLateRows;
        _world.Database.Ceiling = _plan.Ceiling;
        _world.Database.HidesBackends = _plan.HidesBackends;
        _writers = new(_plan, _world.Journal, _random, Coverage) { Chance = chance };
        _crowd = new(_plan, _world, _writers, _random, _trace) { Coverage = Coverage };
        _refusals = new(_plan, _world, chance, Coverage);
        _evidence = new(_plan, _world, _crowd, chance, Coverage);
        _crowd.MayBeRefused = (message, isOrdered) => (isOrdered && _evidence.MayEnd(message)) || _refusals.MayEnd(message);
        _servers = SimulatedServers.Of(_plan, _world, chance, Coverage);
        _failovers = SimulatedFailovers.Of(_plan, _world, new(seed ^ 0x33CC33CC), Coverage);
        if (_servers is { } servers)
            _writers.IsOnAll = servers.IsOnBoth;
        _faults = new(_plan, _world, _random, Coverage)
        {
            Failed = _refusals.Failed,
            Worked = _refusals.Worked,
            WentDown = WentDown,
        };
        _checks = new(_world, _plan, _crowd, _trace, Coverage) { LowestPending = () => _servers is { } two ? two.LowestPending : _world.Journal.LowestOpen() };
        _end = new(_world, _plan, _crowd, _checks, _random) 
        {
            StepDatabase = StepCalmDatabase,
            IsLevel = () => _servers is not { IsLevel: false },
        };
    }

    internal Coverage Coverage { get; } = new();

    /// <summary>Equal for equal seeds on every machine.</summary>
    internal ulong Digest => _trace.Digest;

    internal void Run()
    {
        Task? closing = null;
        for (var step = 0; step < _plan.Steps; step++)
        {
            if (step == _plan.DisposesAt)
                closing = Stop();
            Step();
            _checks.Check();
            Observe();
        }
        Calm();
        _end.Run(closing);
        _isOver = true;
        foreach (var id in _world.Log.Ids)
            Coverage.Add($"log {id}");
    }

    /// <summary>A failed simulation is left as it is.</summary>
    public void Dispose()
    {
        if (_isOver)
            _world.Dispose();
    }

    public override string ToString() => string.Join(
        Environment.NewLine,
        [
            _plan.ToString(),
            $"journal: {string.Join(" ", _writers.Committed.Select(row => $"{row.Ordering}:{row.PersistenceId}/{row.SequenceNumber}{(row.DeletedAt is null ? "" : "x")}"))}",
            $"pages {_world.Database.RunningPages}, permits {_world.Permits.Held}/{_world.Permits.Limit}, slots {_world.Engine.Slots()}, "
                + $"waiting {_world.Engine.Parts().Gauges.Waiting}, following {_world.Engine.Parts().Gauges.Following}, "
                + $"bytes {_world.Engine.Budget().Used}, followers {_world.Engine.Followers()}, time {_world.Clock.Now}, "
                + $"high-water mark {_world.Engine.HighWaterMark().Value}/{_world.Engine.HighWaterMark().HighestSeen}, gaps {_world.Engine.Gaps()}, "
                + $"up {_world.Engine.Outage().IsAvailable}, lost {_world.Engine.Lost()}, timers {_world.Clock.Set}, calls {string.Join(' ', _world.Database.Pending.Select(call => call.Kind))}",
            .. _crowd.Readers.Select(reader => reader.ToString()!),
            "the last steps:",
            _trace.ToString(),
        ]);

    private Task Stop()
    {
        _trace.Add("disposal");
        Coverage.AddIf(_world.Database.RunningPages > 0, "disposal while statements run");
        Coverage.AddIf(_world.Database.RunningReserved > 0, "disposal while the tail polls");
        Coverage.AddIf(_world.Database.StillLost.Count > 0, "disposal while a lost statement runs");
        Coverage.AddIf(_world.Database.IsDown, "disposal while the server is down");
        Coverage.AddIf(_world.Engine.Parts().Gauges.Waiting > 0, "disposal while queries wait");
        _crowd.Orphaned();
        return _world.Closing();
    }

    private void Observe()
    {
        var budget = _world.Engine.Budget();
        Coverage.AddIf(budget.IsExhausted, "the bytes are spent");
        Coverage.AddIf(_world.Engine.ReorderBuffer().Count > 0, "rows are in the reorder buffer");
        var buffered = (_world.Engine.ReorderBuffer().Count, _world.Engine.HighWaterMark().Value);
        Coverage.AddIf(_buffered.Rows > 0 && buffered.Count == 0 && buffered.Value is not null && _buffered.HighWaterMark == buffered.Value, "rows in the reorder buffer are dropped");
        _buffered = buffered;
        Coverage.AddIf(_world.Permits.Waiting > 0 && _world.Permits.Held < _world.Permits.Limit, "a statement waits for a token");
        Coverage.AddIf(_world.Permits.Held > _world.Permits.Limit, "more permits are out than there are now");
    }

    private void Step()
    {
        _servers?.Step();
        _evidence.Step();
        _refusals.Step();
        var step = _random.Next(100);
        switch (step)
        {
            case < 40:
                _checks.StepScheduler(_random);
                break;
            case < 62:
                Note(_faults.Step(_plan.Faults));
                break;
            case < 80:
                _crowd.Step();
                break;
            case < 92:
                StepWriters();
                break;
            case < 95:
                _crowd.Open();
                break;
            default:
                StepClock();
                break;
        }
        _trace.Add("step", null, step);
    }

    private void StepCalmDatabase()
    {
        _servers?.CatchUp();
        Note(_faults.Step(0));
    }

    private void Note(string? what)
    {
        if (what is null)
            return;
        _trace.Add(what);
        Coverage.Add(what);
    }

    // After a rewind, nothing is written until the tail has noticed it. Otherwise new orderings could hide the rewind.
    private void StepWriters()
    {
        if (_world.Journal.IsRewindUnnoticed && !HasNoticed())
            return;
        if (_plan.HasRewinds && _random.Next(40) == 0)
            Rewind();
        else
            _writers.Step();
        if (_world.Journal.Open.Count == 0 && _world.Journal.Ending.Count == 0)
            _openSince = _world.Clock.Now;
        if (_plan.Options.Notify && _random.Next(6) == 0)
            Notify();
    }

    private void Notify()
    {
        if (_random.Next(12) == 0 && _world.Database.StopListening())
            Note("the journal's word breaks off");
        else if (_world.Database.Wake is { } wake)
        {
            wake();
            Note("the journal tells that it was written to");
        }
    }

    private void Rewind()
    {
        var read = _world.Engine.HighWaterMark().HighestSeen;
        if (read == 0)
            return;
        _failovers?.Promote();
        Rewind(_random.NextInt64(read), isRestored: true);
    }

    private void Rewind(long to, bool isRestored)
    {
        _writers.Rewind(to, isRestored);
        _world.Journal.IsRewindUnnoticed = true;
        _noticed = _world.Log.CountOf(18);
        Drain();
        _crowd.Rewound();
    }

    private void WentDown()
    {
        _servers?.Restart();
        if (_failovers is null)
            return;
        Drain();
        if (_failovers.Next() is { } kept)
            Rewind(kept, isRestored: false);
    }

    // After this, every query that was opened has begun, and every call that ended is processed.
    private void Drain()
    {
        while (_world.Scheduler.Step())
        {
        }
    }

    private bool HasNoticed()
    {
        if (_world.Log.CountOf(18) == _noticed && _world.Engine.HasFollowers())
            return false;
        _world.Journal.IsRewindUnnoticed = false;
        _checks.ForgetHighWaterMark();
        return true;
    }

    // If open transactions are unknown, the engine relies on GapTimeout, so no writer may take longer.
    private void StepClock()
    {
        Note(_faults.TimeGoesBy());
        var time = _random.Next(3) == 0 && _world.Clock.NextRing is { } ring
            ? ring - _world.Clock.Now
            : TimeSpan.FromMilliseconds(_random.Next(_plan.HasPausedReaders ? 2_000 : 300));
        if (!_plan.KnowsOpenTransactions && _world.Clock.Now + time - _openSince >= _plan.Options.GapTimeout)
            _writers.Finish();
        if (_world.Journal.Open.Count == 0)
            _openSince = _world.Clock.Now + time;
        _world.Clock.Advance(time > TimeSpan.Zero ? time : TimeSpan.Zero);
    }

    // Faults and writers end, and readers stop changing. All must come to rest.
    private void Calm()
    {
        _faults.End();
        _refusals.End();
        _evidence.End();
        _failovers?.Promote();
        _writers.Finish();
        foreach (var reader in _crowd.Readers)
            reader.IsPaused = _random.Next(5) == 0;
    }
}
