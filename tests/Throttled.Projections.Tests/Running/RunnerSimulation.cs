using System.Globalization;
using Throttled.Projections.Tables;

namespace Throttled.Projections.Tests.Running;

/// <summary>
/// Processes join with other numbers of lanes and other starts, die and stop. The journal may be unavailable while a start is searched. The database is slow and fails before and after a call takes effect. Commands pause, reset,
/// rebuild, swap and set lanes. No process ends by itself; in the end the processes run the stored lanes, in balance.
/// </summary>
internal sealed class RunnerSimulation(int seed)
{
    private readonly Cluster _cluster = new();
    private readonly Random _random = new(seed);
    private readonly List<TaskCompletionSource> _slow = [];
    private readonly List<string> _log = [];
    private int _made;
    private int _lanes = 4;
    private bool _isCalm;
    private bool _isDown;

    internal int Commits { get; private set; }

    internal int Fenced => _cluster.Tables.Fenced;

    private IEnumerable<ScriptedProcess> Alive => _cluster.Processes.Where(process => process.IsAlive);

    internal void Run()
    {
        _cluster.Now = NowAsync;
        Join();
        for (var step = 0; step < 300; step++)
        {
            Act(_random.Next(60));
            for (var i = _random.Next(4); i > 0; i--)
                Work();
            _cluster.Clock.Advance(TimeSpan.FromMilliseconds(_random.Next(400)));
        }
        Calm();
        Check();
    }

    public override string ToString() => string.Join(Environment.NewLine, _log.Concat(State()));

    private IEnumerable<string> State() =>
    [
        .. Alive.Select(process => $"{process.ProcessName} of {process.Context.Options.Lanes} lanes: {process.Runner.StoreUnavailable} {string.Join(' ', process.Store.Calls.TakeLast(20))}"),
        .. _cluster.Tables.Versions.Values.Select(version =>
            $"{version.Row} {string.Join(' ', version.Lanes.Select(lane => lane.OwnerAt(_cluster.Clock.Now) ?? "-"))} at {string.Join(' ', version.At)}"),
        .. _cluster.Tables.Read("p", 3).Commands.Select(command => command.ToString()),
    ];

    private void Act(int what)
    {
        switch (what)
        {
            case 0 or 1 when Alive.Count() < 4:
                Join();
                break;
            case 2 when Any() is { } process:
                Log($"{process.ProcessName} dies");
                process.Die();
                break;
            case 3 when Any() is { } process:
                Log($"{process.ProcessName} stops");
                process.Runner.Stop();
                break;
            case 4:
                _lanes = _random.Next(1, 17);
                break;
            case 14 or 15:
                Command(CommandVerb.SetLanes, lanes: _random.Next(0, 18));
                break;
            case 5 or 6:
                Pause(_random.Next(2) == 0);
                break;
            case 7 or 8:
                Command(CommandVerb.Reset, ordering: _random.Next(4) is var ordering and < 3 ? ordering : null);
                break;
            case 9:
                Command(CommandVerb.Rebuild);
                break;
            case 10:
                Command(CommandVerb.Swap);
                break;
            case 11:
                Command(CommandVerb.Drop);
                break;
            case 12 or 13:
                _isDown = !_isDown;
                Log($"the database is {(_isDown ? "unavailable" : "available")}");
                break;
        }
    }

    private void Join()
    {
        var process = _cluster.Make($"m{_made++}", options => options with { Lanes = _lanes, StartAt = _random.Next(2) == 0 ? ProjectionStart.Now : ProjectionStart.FirstEvent });
        process.Store.Fault = process.Store.LateFault = _ => !_isCalm && (_isDown || _random.Next(40) == 0) ? new TimeoutException("by chance") : null;
        process.Store.Slow = _ => Slow();
        process.Handler.Slow = Slow;
        process.SlowStops = _ => Slow();
        Log($"{process.ProcessName} joins with {_lanes} lanes");
        process.Start();
    }

    private void Pause(bool isPaused)
    {
        foreach (var version in _cluster.Tables.Versions.Values)
            version.Row = version.Row with { IsPaused = isPaused, Resumes = version.Row.Resumes + (isPaused ? 0 : 1) };
    }

    private void Command(CommandVerb verb, long? ordering = null, int? lanes = null)
    {
        string[] names = ["p", "q", "r"];
        var version = names[_random.Next(names.Length)];
        Log(string.Create(CultureInfo.InvariantCulture, $"{verb} {version} {ordering}{lanes}"));
        _cluster.Tables.Command(verb, version, ordering, lanes: lanes);
    }

    private async Task<long> NowAsync()
    {
        var now = _random.Next(1, 1_000);
        await Slow().ConfigureAwait(false);
        return !_isCalm && _random.Next(3) == 0 ? throw new JournalException("by chance") : now;
    }

    private ScriptedProcess? Any() => Alive.Skip(_random.Next(4)).FirstOrDefault();

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
            Release(_random.Next(_slow.Count));
        var workers = _cluster.Processes.SelectMany(process => process.Workers).Where(worker => worker.Running.Any()).ToList();
        if (workers.Count == 0)
            return;
        var worker = workers[_random.Next(workers.Count)];
        var lane = worker.Running.ElementAt(_random.Next(worker.Running.Count()));
        if (_random.Next(20) == 0)
            worker.Fail(lane);
        else if (worker.Commit(lane))
            Commits++;
    }

    private void Release(int index)
    {
        var slow = _slow[index];
        _slow.RemoveAt(index);
        slow.SetResult();
    }

    private void Calm()
    {
        (_isCalm, _isDown) = (true, false);
        while (_slow.Count > 0)
            Release(0);
        _cluster.Advance(5);
        if (!Alive.Any())
            Join();
        _cluster.Advance(20);
        Pause(false);
        _cluster.Advance(10);
        while (_slow.Count > 0)
            Release(0);
    }

    private void Check()
    {
        Assert.All(_cluster.Processes, process => Assert.True(process.Runner.Completion.IsCompleted || process.IsAlive || process.Store.Hangs));
        Assert.DoesNotContain(_cluster.Processes, process => process.Runner.Completion.IsFaulted);
        var alive = Alive.ToList();
        var commands = _cluster.Tables.Read("p", int.MaxValue).Commands;
        Assert.Empty(commands);
        Assert.Single(_cluster.Tables.Versions.Values, version => version.Row.Role == VersionRole.Live);
        var run = _cluster.Tables.Versions.Values.Where(version => version.Row.Role != VersionRole.Retired).ToList();
        run.ForEach(version => Check(version, alive, mayBeFenced: true));
        _cluster.Advance(2);
        run.ForEach(version => Check(version, alive, mayBeFenced: false));
    }

    // Every lane is claimed by the one process that runs it, has not failed, and can commit. It commits at the second attempt if a process that is
    // dead now has written since the lane read the offsets.
    private void Check(ScriptedVersion version, List<ScriptedProcess> alive, bool mayBeFenced)
    {
        var owners = version.Lanes.Select(lane => lane.OwnerAt(_cluster.Clock.Now)).ToList();
        var runners = alive.SelectMany(process => process.Worker(version.Row.Version).Running.Select(lane => (Lane: lane, Process: process))).ToList();
        Assert.Equal(Enumerable.Range(0, version.Lanes.Length), runners.Select(runner => runner.Lane).Order());
        Assert.All(version.At[version.Slices.First..], at => Assert.InRange(at, version.Row.StartOn(version.Row.Map).Rows[0].Ordering, long.MaxValue));
        Assert.All(runners, runner => Assert.Equal(owners[runner.Lane], runner.Process.ProcessName));
        var counts = alive.Select(process => owners.Count(owner => owner == process.ProcessName)).ToList();
        Assert.InRange(counts.Max() - counts.Min(), 0, 1);
        Assert.All(runners, runner => Assert.True(runner.Process.Worker(version.Row.Version).Commit(runner.Lane) || mayBeFenced));
    }

    private void Log(string what) => _log.Add($"{_cluster.Clock.Now}: {what}");
}
