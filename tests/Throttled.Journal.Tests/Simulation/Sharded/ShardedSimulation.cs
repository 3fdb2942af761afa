using Throttled.Journal.Rows;
using Throttled.Journal.Sharding;

namespace Throttled.Simulation.Sharded;

/// <summary>
/// Several engines are the shards of one journal and share a clock. Each has its own writers and faults. Queries merge the shards.
/// All is drawn from one seed.
/// </summary>
internal sealed class ShardedSimulation : IDisposable
{
    private const int Many = 200_000;

    private readonly Random _random;
    private readonly ShardMap _map;
    private readonly List<SimulatedShard> _shards;
    private readonly MergedJournal _journal;
    private readonly List<MergedRun> _runs = [];
    private readonly int _steps;
    private int _left = Many;
    private bool _isOver;

    internal ShardedSimulation(int seed)
    {
        _random = new(seed);
        _map = ShardMap.Even(_random.Next(2, 4));
        _shards = [.. Enumerable.Range(0, _map.Count).Select(shard => new SimulatedShard(_map, shard, _random))];
        _journal = new(_map, [.. _shards.Select(shard => shard.World.Engine)]);
        _steps = _random.Next(200, 900);
        for (var i = _random.Next(1, 4); i > 0; i--)
            _runs.Add(new(_map, _shards, DrawFilter()));
    }

    internal void Run()
    {
        for (var i = 0; i < _steps; i++)
        {
            Step();
            Check();
        }
        _runs.ForEach(Open);
        if (_random.Next(2) == 0)
            RunWithout(_random.Next(_map.Count));
        _shards.ForEach(shard => shard.Calm(isDown: false));
        Quiesce(down: null);
        Leave();
        _isOver = true;
    }

    /// <summary>A failed simulation is left as it is.</summary>
    public void Dispose()
    {
        if (_isOver)
            _shards.ForEach(shard => shard.Dispose());
    }

    public override string ToString() => string.Join(Environment.NewLine, [.. _shards.Select(shard => shard.ToString()), .. _runs.Select(run => run.ToString())]);

    private void Step()
    {
        var shard = _shards[_random.Next(_shards.Count)];
        switch (_random.Next(100))
        {
            case < 45:
                shard.StepEngine();
                break;
            case < 70:
                shard.StepDatabase(hasFaults: true);
                break;
            case < 85:
                StepRun(_runs[_random.Next(_runs.Count)]);
                break;
            case < 95:
                shard.StepWriters();
                break;
            default:
                Pass(TimeSpan.FromMilliseconds(_random.Next(300)));
                break;
        }
    }

    private void StepRun(MergedRun run)
    {
        switch (_random.Next(60))
        {
            case 0:
                run.Cancel();
                break;
            case 1:
                run.Dispose();
                break;
            case < 4:
                run.IsPaused = !run.IsPaused;
                break;
            default:
                if (!run.IsOpen)
                    Open(run);
                if (!run.IsPaused)
                    run.Step();
                break;
        }
    }

    private void Open(MergedRun run)
    {
        run.IsPaused = false;
        if (run.IsOpen)
            return;
        var isLive = _random.Next(4) != 0;
        run.Open(position => _journal.Events(run.Filter, position, isLive), isLive);
    }

    private void Pass(TimeSpan time, bool hasFaults = true) => _shards.ForEach(shard => shard.Pass(time, hasFaults));

    // While one shard is down, all events of the others come and no query fails.
    private void RunWithout(int down)
    {
        for (var shard = 0; shard < _map.Count; shard++)
            _shards[shard].Calm(shard == down);
        Quiesce(down);
    }

    private void Quiesce(int? down)
    {
        for (var round = 0; round < 1500; round++)
        {
            Settle();
            if (_runs.TrueForAll(run => run.IsSatisfied(down)))
                return;
            PassToNextRing();
        }
        Assert.Fail("A reader does not get all events.");
    }

    private void PassToNextRing()
    {
        var time = _shards.Min(shard => shard.World.Clock.NextRing is { } ring ? ring - shard.World.Clock.Now : (TimeSpan?)null) ?? TimeSpan.FromSeconds(10);
        Pass(time > TimeSpan.Zero ? time : TimeSpan.Zero, hasFaults: false);
    }

    private void Settle()
    {
        bool any;
        do
        {
            any = false;
            foreach (var shard in _shards)
            {
                any |= shard.HasWork;
                shard.StepEngine();
                shard.StepDatabase(hasFaults: false);
            }
            foreach (var run in _runs)
                any |= run.Step();
            Check();
            Assert.True(_left-- > 0, "It does not come to rest.");
        }
        while (any);
    }

    // Disposing a merged query disposes the query of every shard.
    private void Leave()
    {
        _runs.ForEach(run => run.Dispose());
        Settle();
        // By then every lost or failed statement is over.
        for (var end = _shards[0].World.Clock.Now + TimeSpan.FromSeconds(80); _shards[0].World.Clock.Now < end; Settle())
            PassToNextRing();
        foreach (var shard in _shards)
        {
            Assert.False(shard.World.Engine.HasFollowers());
            Assert.Equal(0, shard.World.Engine.Budget().Used);
            Assert.Equal(0, shard.World.Engine.Parts().Gauges.Following + shard.World.Engine.Parts().Gauges.Waiting);
        }
    }

    private void Check()
    {
        foreach (var shard in _shards)
            Assert.Null(shard.World.Log.Defect);
    }

    private EventFilter DrawFilter() => _random.Next(4) switch
    {
        0 or 1 => EventFilter.All,
        2 => new() { Tag = "red" },
        _ => new() { Slices = new(_random.Next(300), JournalSlices.Count - 1 - _random.Next(300)) },
    };
}
