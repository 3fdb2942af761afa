using System.Globalization;
using Throttled.Projections.Tables;

namespace Throttled.Projections.Tests.Running;

/// <summary>
/// Parts are assigned to processes and removed again at random: to two processes at once, to none, to processes that die. Others divide lanes evenly.
/// Leases expire, the database fails before and after a call takes effect, and commands set lanes. A model of the journal knows up to where each
/// slice was handled: each commit must continue there, so no two processes have handled an event. In the end each part is assigned to one process.
/// </summary>
internal sealed class AssignmentSimulation
{
    private readonly Cluster _cluster = new();
    private readonly Random _random;
    private readonly List<TaskCompletionSource> _slow = [];
    private readonly List<string> _log = [];
    private readonly List<Placed> _placed = [];
    private readonly int _parts;
    private readonly long[] _handled = new long[16];
    private bool _isCalm;
    private bool _isDown;

    internal AssignmentSimulation(int seed)
    {
        _random = new(seed);
        _parts = _random.Next(1, 7);
        _cluster.Tables.Moved = (slices, from, to) =>
        {
            for (var slice = slices.First; slice <= slices.Last; slice++)
            {
                Assert.Equal(_handled[slice], from);
                _handled[slice] = to;
            }
        };
    }

    internal int Commits { get; private set; }

    internal int Fenced => _cluster.Tables.Fenced;

    internal int Drains { get; private set; }

    private IEnumerable<Placed> Alive => _placed.Where(each => each.Process.IsAlive);

    internal void Run()
    {
        Join(isAssigned: true);
        for (var step = 0; step < 300; step++)
        {
            Act(_random.Next(40));
            for (var i = _random.Next(4); i > 0; i--)
                Work();
            _cluster.Clock.Advance(TimeSpan.FromMilliseconds(_random.Next(400)));
            CheckDrains();
        }
        Calm();
        Check();
    }

    public override string ToString() => string.Join(Environment.NewLine, _log);

    private void Act(int what)
    {
        switch (what)
        {
            case 0 or 1 when Alive.Count() < 4:
                Join(_random.Next(4) != 0);
                break;
            case 2 when Any() is { } placed:
                Log($"{placed.Process.ProcessName} dies");
                placed.Process.Die();
                break;
            case 3 when Any() is { } placed:
                Log($"{placed.Process.ProcessName} stops");
                placed.Process.Runner.Stop();
                break;
            case 4 or 5:
                _isDown = !_isDown;
                break;
            case 6:
                _cluster.Tables.Command(CommandVerb.SetLanes, "p", lanes: _random.Next(1, 17));
                break;
            case < 20 when Any() is { Assigned: not null } placed:
                placed.Add(_random.Next(_parts), Log);
                break;
            case < 30 when Any() is { Assigned: not null, Parts.Count: > 0 } placed:
                placed.Remove(placed.Parts[_random.Next(placed.Parts.Count)], Log);
                break;
        }
    }

    private void Join(bool isAssigned)
    {
        var assigned = isAssigned ? new AssignedLanes(_parts) : null;
        var process = _cluster.Make($"m{_placed.Count}", options => options with { LaneOwnership = assigned ?? LaneOwnership.Even });
        process.Store.Fault = process.Store.LateFault = _ => !_isCalm && (_isDown || _random.Next(40) == 0) ? new TimeoutException("by chance") : null;
        process.Store.Slow = _ => Slow();
        process.SlowStops = _ => Slow();
        _placed.Add(new(process, assigned));
        Log(string.Create(CultureInfo.InvariantCulture, $"{process.ProcessName} joins; {(isAssigned ? "assigned" : "even")}"));
        process.Start();
    }

    private Placed? Any() => Alive.Skip(_random.Next(4)).FirstOrDefault();

    private Task Slow()
    {
        if (_isCalm || _random.Next(4) != 0)
            return Task.CompletedTask;
        _slow.Add(new());
        return _slow[^1].Task;
    }

    private void Work()
    {
        if (_slow.Count > 0 && _random.Next(2) == 0)
            Finish(_random.Next(_slow.Count));
        var workers = _placed.SelectMany(placed => placed.Process.Workers).Where(worker => worker.Running.Any()).ToList();
        if (workers.Count == 0)
            return;
        var worker = workers[_random.Next(workers.Count)];
        if (worker.Commit(worker.Running.ElementAt(_random.Next(worker.Running.Count()))))
            Commits++;
    }

    private void Finish(int index)
    {
        var slow = _slow[index];
        _slow.RemoveAt(index);
        slow.SetResult();
    }

    // What was drained stays so until it is assigned again: no lane of it runs in the process, and the tables have none of it for the process.
    private void CheckDrains()
    {
        foreach (var placed in Alive.Where(placed => placed.Assigned is not null))
        {
            foreach (var part in placed.Drained)
            {
                Drains++;
                Assert.DoesNotContain(placed.Process.Workers.SelectMany(worker => worker.Running), lane => lane % _parts == part);
                Assert.DoesNotContain(Owners.Index(), lane => lane.Index % _parts == part && lane.Item == placed.Process.ProcessName);
            }
        }
    }

    private List<string?> Owners =>
        [.. _cluster.Tables.Versions.Values.SelectMany(version => version.Lanes).Select(lane => lane.OwnerAt(_cluster.Clock.Now))];

    private void Calm()
    {
        (_isCalm, _isDown) = (true, false);
        while (_slow.Count > 0)
            Finish(0);
        _cluster.Advance(5);
        if (!Alive.Any(placed => placed.Assigned is not null))
            Join(isAssigned: true);
        var assigned = Alive.Where(placed => placed.Assigned is not null).ToList();
        foreach (var placed in assigned)
        {
            while (placed.Parts.Count > 0)
                placed.Remove(placed.Parts[0], Log);
        }
        for (var part = 0; part < _parts; part++)
            assigned[_random.Next(assigned.Count)].Add(part, Log);
        _cluster.Advance(30);
    }

    private void Check()
    {
        var alive = Alive.ToList();
        Assert.DoesNotContain(_placed, placed => placed.Process.Runner.Completion.IsFaulted);
        Assert.All(alive, placed => Assert.All(placed.Drains, drain => Assert.True(drain.IsCompletedSuccessfully)));
        Assert.Empty(_cluster.Tables.Read("p", int.MaxValue).Commands);
        Check(alive, mayBeFenced: true);
        _cluster.Advance(2);
        Check(alive, mayBeFenced: false);
    }

    private void Check(List<Placed> alive, bool mayBeFenced)
    {
        var runners = alive.SelectMany(placed => placed.Process.Worker().Running.Select(lane => (Lane: lane, Placed: placed))).ToList();
        var owners = Owners;
        Assert.Equal(Enumerable.Range(0, owners.Count), runners.Select(runner => runner.Lane).Order());
        Assert.All(runners, runner => Assert.Equal(owners[runner.Lane], runner.Placed.Process.ProcessName));
        Assert.All(runners, runner => Assert.True(runner.Placed.Assigned is null || runner.Placed.Parts.Contains(runner.Lane % _parts)));
        Assert.All(runners, runner => Assert.True(runner.Placed.Process.Worker().Commit(runner.Lane) || mayBeFenced));
    }

    private void Log(string what) => _log.Add($"{_cluster.Clock.Now}: {what}");

    /// <summary>A process with the parts that it has, and all drains that it was asked for.</summary>
    private sealed record Placed(ScriptedProcess Process, AssignedLanes? Assigned)
    {
        internal List<int> Parts { get; } = [];

        internal List<Task> Drains { get; } = [];

        internal IEnumerable<int> Drained => _last.Where(drain => drain.Value.IsCompleted && !Parts.Contains(drain.Key)).Select(drain => drain.Key);

        private readonly Dictionary<int, Task> _last = [];

        internal void Add(int part, Action<string> log)
        {
            log(string.Create(CultureInfo.InvariantCulture, $"{Process.ProcessName} gets part {part}"));
            Parts.Add(part);
            Assigned!.Add(part);
        }

        internal void Remove(int part, Action<string> log)
        {
            log(string.Create(CultureInfo.InvariantCulture, $"{Process.ProcessName} loses part {part}"));
            Parts.Remove(part);
            Drains.Add(_last[part] = Assigned!.RemoveAsync(part));
        }
    }
}
