using Throttled.Journal.Sql;
using Throttled.Journal.Tests.Support;

namespace Throttled.Journal.Tests.Simulation;

/// <summary>
/// The whole engine among writers, readers, faults and chance, all drawn from one seed. After each step it checks what must
/// always hold; at the end, that every reader got what is there.
/// </summary>
internal sealed class EngineSimulation : IDisposable
{
    private static readonly FaultKind[] Faults =
        [FaultKind.ConnectionLost, FaultKind.Transient, FaultKind.TimedOut, FaultKind.TooManyConnections, FaultKind.MissingTable];

    private readonly Random _random;
    private readonly SimulationPlan _plan;
    private readonly World _world;
    private readonly SimulatedWriters _writers;
    private readonly SimulatedCrowd _crowd;
    private TimeSpan _openSince;
    private long? _head;
    private int _noticed;

    internal EngineSimulation(int seed)
    {
        _random = new Random(seed);
        _plan = SimulationPlan.Draw(_random);
        _world = new(
            options => _plan.Options with { TimeProvider = options.TimeProvider, LoggerFactory = options.LoggerFactory },
            _plan.ReusesOrderings,
            _random,
            _plan.KeysPerLook);
        _world.Database.KnowsHolders = _plan.KnowsHolders;
        _writers = new(_plan, _world.Journal, _random);
        _crowd = new(_plan, _world, _writers, _random);
    }

    internal void Run()
    {
        for (var step = 0; step < _plan.Steps; step++)
        {
            Step();
            Check();
        }
        Calm();
        Quiesce();
        Wake();
        Close();
    }

    public void Dispose() => _world.Dispose();

    public override string ToString() => string.Join(
        Environment.NewLine,
        [
            _plan.ToString(),
            $"journal: {string.Join(" ", _writers.Committed.Select(row => $"{row.Ordering}:{row.PersistenceId}/{row.SequenceNumber}{(row.DeletedAt is null ? "" : "x")}"))}",
            $"pages {_world.Database.RunningPages}, permits {_world.Permits.Held}/{_world.Permits.Limit}, slots {_world.Engine.Slots()}, "
                + $"waiting {_world.Engine.Parts().Gauges.Waiting}, following {_world.Engine.Parts().Gauges.Following}, "
                + $"bytes {_world.Engine.Budget().Used}, followers {_world.Engine.Followers()}, time {_world.Clock.Now}, "
                + $"head {_world.Engine.Head().Value}/{_world.Engine.Head().Read}, gaps {_world.Engine.Gaps()}",
            .. _crowd.Readers.Select(reader => reader.ToString()!),
        ]);

    private void Step()
    {
        switch (_random.Next(100))
        {
            case < 40:
                _world.Scheduler.Step(_random);
                break;
            case < 62:
                StepDatabase(_plan.Faults);
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
    }

    // Nobody writes before the tail has noticed: numbers that have come as far again say nothing any more.
    private void StepWriters()
    {
        if (_world.Journal.IsRewindNews && !HasNoticed())
            return;
        if (_plan.HasRewinds && _random.Next(40) == 0)
            Rewind();
        else
            _writers.Step();
        if (_world.Journal.Open.Count == 0 && _world.Journal.Ending.Count == 0)
            _openSince = _world.Clock.Now;
    }

    private void Rewind()
    {
        var read = _world.Engine.Head().Read;
        if (read == 0)
            return;
        _writers.Rewind(_random.NextInt64(read));
        _world.Journal.IsRewindNews = true;
        _noticed = _world.Log.CountOf(18);
        // Whoever has asked for something has begun.
        while (_world.Scheduler.Step())
        {
        }
        _crowd.Rewound();
    }

    private bool HasNoticed()
    {
        if (_world.Log.CountOf(18) == _noticed && _world.Engine.HasFollowers())
            return false;
        _world.Journal.IsRewindNews = false;
        _head = null;
        return true;
    }

    private void StepDatabase(double faults)
    {
        var pending = _world.Database.Pending;
        if (pending.Count == 0)
            return;
        var call = pending[_random.Next(pending.Count)];
        if (_random.NextDouble() >= faults || call.IsCancelled)
            _world.Database.Step(call);
        else if (_random.Next(6) == 0)
            _world.Database.Lose(call);
        else
            _world.Database.Fail(call, Faults[_random.Next(Faults.Length)]);
    }

    // Where the database cannot tell who may still commit, the engine trusts in time: no writer may take longer.
    private void StepClock()
    {
        var time = _random.Next(3) == 0 && _world.Clock.NextRing is { } ring
            ? ring - _world.Clock.Now
            : TimeSpan.FromMilliseconds(_random.Next(_plan.HasSleepers ? 2_000 : 300));
        if (!_plan.KnowsHolders && _world.Clock.Now + time - _openSince >= _plan.Options.GapTimeout)
            _writers.Finish();
        if (_world.Journal.Open.Count == 0)
            _openSince = _world.Clock.Now + time;
        _world.Clock.Advance(time > TimeSpan.Zero ? time : TimeSpan.Zero);
    }

    private void Check()
    {
        Assert.Null(_world.Log.Defect);
        Assert.True(_world.Database.RunningPages <= _world.Permits.Held, "A statement runs without a permit.");
        Assert.True(_world.Database.RunningReserved <= 1, "More than one statement runs on the reserved permit.");
        var bytes = _world.Engine.Budget().Used;
        Assert.InRange(bytes, 0, _plan.Options.MaxBufferedBytes + _plan.BytesBeyond);
        CheckHead();
    }

    // Where numbers are given out again, it stands too high until the tail finds out.
    private void CheckHead()
    {
        var head = _world.Engine.Head().Value;
        if (_plan.ReusesOrderings || _world.Journal.IsRewindNews)
            return;
        Assert.True(_world.Journal.LowestOpen() is not { } open || head is null || open > head, "Somebody may commit at or below the head.");
        Assert.True(head is null || _head is null || head >= _head, "The head went back.");
        _head = head;
    }

    // The faults end, the writers end, and so do the moods of the readers: all must come to rest.
    private void Calm()
    {
        _writers.Finish();
        foreach (var reader in _crowd.Readers)
            reader.IsAsleep = _random.Next(5) == 0;
    }

    private void Quiesce()
    {
        for (var round = 0; round < 1500; round++)
        {
            Settle();
            if (_crowd.Readers.All(reader => reader.IsAsleep || reader.IsSatisfied()))
            {
                CheckReaders();
                return;
            }
            if (_world.Clock.NextRing is { } ring)
                _world.Clock.Advance(ring > _world.Clock.Now ? ring - _world.Clock.Now : TimeSpan.Zero);
        }
        Assert.Fail("A reader does not get what is there.");
    }

    private void Settle()
    {
        bool any;
        do
        {
            any = _world.Scheduler.Step(_random);
            any |= _world.Database.Pending.Count > 0;
            StepDatabase(0);
            foreach (var reader in _crowd.Readers)
                any |= !reader.IsAsleep && reader.Step();
            Check();
        }
        while (any);
    }

    // Those that slept find nothing missing either.
    private void Wake()
    {
        foreach (var reader in _crowd.Readers)
            reader.IsAsleep = false;
        Quiesce();
    }

    private void CheckReaders()
    {
        foreach (var reader in _crowd.Readers.Where(reader => !reader.IsAsleep))
            reader.CheckAtEnd();
        foreach (var run in _crowd.Readers.OfType<OrderedRun>())
            run.CheckPassed();
    }

    private void Close()
    {
        foreach (var reader in _crowd.Readers)
            reader.Close();
        _world.Clock.Advance(TimeSpan.FromSeconds(30));
        for (var i = 0; i < 8; i++)
        {
            Settle();
            _world.Clock.Advance(TimeSpan.FromSeconds(1));
        }
        CheckEmpty();
        _world.Close();
        Assert.True(_world.Database.IsDisposed);
    }

    private void CheckEmpty()
    {
        Assert.Equal(0, _world.Permits.Held);
        Assert.Equal(0, _world.Engine.Slots());
        Assert.Equal(0, _world.Engine.Budget().Used);
        Assert.False(_world.Engine.HasFollowers());
        var calls = _world.Database.CallCount;
        _world.Clock.Advance(TimeSpan.FromSeconds(5));
        Settle();
        Assert.Equal(calls, _world.Database.CallCount);
    }
}
