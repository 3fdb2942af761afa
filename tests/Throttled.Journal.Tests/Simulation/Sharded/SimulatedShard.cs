namespace Throttled.Simulation.Sharded;

/// <summary>One shard: an engine, its database, its writers and its faults.</summary>
internal sealed class SimulatedShard : IDisposable
{
    private readonly SimulationPlan _plan;
    private readonly Random _random;
    private readonly SimulatedFaults _faults;
    private TimeSpan _openSince;

    internal SimulatedShard(ShardMap map, int shard, Random random)
    {
        _random = random;
        // EngineSimulation tests rewound and undecodable journals.
        _plan = SimulationPlan.Draw(random) with { ReusesOrderings = false, HasRewinds = false, HasPoison = false };
        World = new(
            options => _plan.Options with { TimeProvider = options.TimeProvider, LoggerFactory = options.LoggerFactory, Shard = new(map, shard) },
            random: random, keysPerPoll: _plan.KeysPerPoll, processors: _plan.Processors);
        World.Database.KnowsOpenTransactions = _plan.KnowsOpenTransactions;
        World.Database.HidesBackends = _plan.HidesBackends;
        World.Database.Ceiling = _plan.Ceiling;
        Writers = new(_plan, World.Journal, random, new()) { Prefix = PrefixOf(map, shard) };
        _faults = new(_plan, World, random, new());
    }

    internal World World { get; }

    internal SimulatedWriters Writers { get; }

    internal bool HasWork => World.Scheduler.Count > 0 || World.Database.Pending.Count > 0;

    internal void StepEngine() => World.Scheduler.Step(_random);

    internal void StepDatabase(bool hasFaults) => _faults.Step(hasFaults ? _plan.Faults : 0);

    internal void StepWriters()
    {
        Writers.Step();
        NoteOpen(World.Clock.Now);
    }

    // If open transactions are unknown, the engine relies on GapTimeout, so no writer may take longer.
    internal void Pass(TimeSpan time, bool hasFaults)
    {
        if (hasFaults)
            _faults.TimeGoesBy();
        if (!_plan.KnowsOpenTransactions && World.Clock.Now + time - _openSince >= _plan.Options.GapTimeout)
            Writers.Finish();
        NoteOpen(World.Clock.Now + time);
        World.Clock.Advance(time);
    }

    /// <summary>From now on the shard has no faults, or is down.</summary>
    internal void Calm(bool isDown)
    {
        _faults.End();
        Writers.Finish();
        World.Database.IsDown = isDown;
    }

    public void Dispose() => World.Dispose();

    public override string ToString() => $"{_plan}{Environment.NewLine}time {World.Clock.Now}, up {World.Engine.Outage().IsAvailable}, high-water mark "
        + $"{World.Engine.HighWaterMark().Value}/{World.Engine.HighWaterMark().HighestSeen}, following {World.Engine.Parts().Gauges.Following}, journal: "
        + string.Join(' ', Writers.Committed.Select(row => $"{row.Ordering}:{row.PersistenceId}/{row.SequenceNumber}{(row.DeletedAt is null ? "" : "x")}"));

    private void NoteOpen(TimeSpan now)
    {
        if (World.Journal.Open.Count == 0 && World.Journal.Ending.Count == 0)
            _openSince = now;
    }

    // Ids that differ only in their last digit are in neighbouring slices.
    private static string PrefixOf(ShardMap map, int shard) => Enumerable.Range(0, 10_000).Select(i => $"{i}-").First(
        prefix => Enumerable.Range(0, 10).All(id => map.ShardOf($"{prefix}{id}") == shard));
}
