namespace Throttled.Projections.Tests.Model;

/// <summary>Processes that come and go. Each one plans from a stale view, and in the end from the current one.</summary>
internal sealed class LaneMarket
{
    private readonly Random _random;
    private readonly string?[] _owners;
    private readonly SortedSet<string> _processes = new(StringComparer.Ordinal);
    private readonly Dictionary<string, (string?[] Owners, string[] Processes)> _views = [];
    private readonly List<string> _log = [];

    internal LaneMarket(int seed)
    {
        _random = new(seed);
        _owners = new string?[_random.Next(1, 20)];
    }

    internal void Shake()
    {
        for (var step = 0; step < 60; step++)
            Step();
    }

    /// <summary>All processes are alive, have a current view and act at once. The database executes claims one by one.</summary>
    internal void Calm()
    {
        _processes.Add("m");
        for (var lane = 0; lane < _owners.Length; lane++)
            _owners[lane] = _owners[lane] is { } owner && _processes.Contains(owner) ? owner : null;
        var excess = _processes.Sum(process => Math.Max(0, Count(process) - Share(process)));
        var released = 0;
        for (var round = 0; round < 3; round++)
        {
            var plans = _processes.Select(process => (process, Plan: LanePlan.For([.. _owners], _processes, process))).ToList();
            released += plans.Sum(plan => plan.Plan.Release.Count);
            plans.ForEach(plan => Do(plan.process, plan.Plan));
        }
        Assert.Equal(excess, released);
        Assert.All(_processes, process => Assert.Equal(Share(process), Count(process)));
        Assert.All(_processes, process => Assert.Equal((0, 0), Size(LanePlan.For(_owners, _processes, process))));
    }

    public override string ToString() => string.Join(Environment.NewLine, _log);

    private static (int Claims, int Releases) Size(LanePlan plan) => (plan.Claim.Count, plan.Release.Count);

    private int Count(string process) => _owners.Count(owner => owner == process);

    private int Share(string process) =>
        (_owners.Length / _processes.Count) + (_processes.ToList().IndexOf(process) < _owners.Length % _processes.Count ? 1 : 0);

    private void Step()
    {
        var process = ((char)('a' + _random.Next(8))).ToString();
        switch (_random.Next(10))
        {
            case 0:
                Log($"{process} joins");
                _processes.Add(process);
                break;
            case 1:
                Log($"{process} dies");
                _processes.Remove(process);
                break;
            case 2:
                Expire();
                break;
            case < 6:
                _views[process] = ([.. _owners], [.. _processes]);
                break;
            case var _ when _processes.Contains(process) && _views.TryGetValue(process, out var view):
                Do(process, LanePlan.For(view.Owners, view.Processes, process));
                break;
        }
    }

    private void Expire()
    {
        var lane = _random.Next(_owners.Length);
        if (_owners[lane] is { } owner && !_processes.Contains(owner))
            _owners[lane] = null;
    }

    private void Do(string process, LanePlan plan)
    {
        Log($"{process} claims {string.Join(',', plan.Claim)} releases {string.Join(',', plan.Release)} of {string.Concat(_owners.Select(owner => owner ?? "."))}");
        foreach (var lane in plan.Claim)
            _owners[lane] ??= process;
        foreach (var lane in plan.Release.Where(lane => _owners[lane] == process))
            _owners[lane] = null;
    }

    private void Log(string what) => _log.Add(what);
}

/// <summary>What an even division tells a process to do next.</summary>
internal sealed record LanePlan(IReadOnlyList<int> Claim, IReadOnlyList<int> Release)
{
    internal static LanePlan For(IReadOnlyList<string?> owners, IReadOnlyCollection<string> processes, string me)
    {
        LaneOwners lanes = new("p", me, owners, [.. processes]);
        return new(LaneOwnership.Even.Claim(lanes), LaneOwnership.Even.Release(lanes));
    }
}
