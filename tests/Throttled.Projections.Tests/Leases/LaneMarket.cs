using Throttled.Projections.Leases;

namespace Throttled.Projections.Tests.Leases;

/// <summary>Processes that come and go, each planning from what it saw some time ago; and in the end from what is.</summary>
internal sealed class LaneMarket
{
    private readonly Random _random;
    private readonly string?[] _owners;
    private readonly SortedSet<string> _members = new(StringComparer.Ordinal);
    private readonly Dictionary<string, (string?[] Owners, string[] Members)> _views = [];
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

    /// <summary>Everybody is alive, sees what is, and all act at once; the database takes claims one by one.</summary>
    internal void Calm()
    {
        _members.Add("m");
        for (var lane = 0; lane < _owners.Length; lane++)
            _owners[lane] = _owners[lane] is { } owner && _members.Contains(owner) ? owner : null;
        var excess = _members.Sum(member => Math.Max(0, Count(member) - Share(member)));
        var released = 0;
        for (var round = 0; round < 3; round++)
        {
            var plans = _members.Select(member => (member, Plan: LanePlan.For([.. _owners], _members, member))).ToList();
            released += plans.Sum(plan => plan.Plan.Release.Count);
            plans.ForEach(plan => Do(plan.member, plan.Plan));
        }
        Assert.Equal(excess, released);
        Assert.All(_members, member => Assert.Equal(Share(member), Count(member)));
        Assert.All(_members, member => Assert.Equal((0, 0), Size(LanePlan.For(_owners, _members, member))));
    }

    public override string ToString() => string.Join(Environment.NewLine, _log);

    private static (int Claims, int Releases) Size(LanePlan plan) => (plan.Claim.Count, plan.Release.Count);

    private int Count(string member) => _owners.Count(owner => owner == member);

    private int Share(string member) =>
        (_owners.Length / _members.Count) + (_members.ToList().IndexOf(member) < _owners.Length % _members.Count ? 1 : 0);

    private void Step()
    {
        var member = ((char)('a' + _random.Next(8))).ToString();
        switch (_random.Next(10))
        {
            case 0:
                Say($"{member} joins");
                _members.Add(member);
                break;
            case 1:
                Say($"{member} dies");
                _members.Remove(member);
                break;
            case 2:
                Expire();
                break;
            case < 6:
                _views[member] = ([.. _owners], [.. _members]);
                break;
            case var _ when _members.Contains(member) && _views.TryGetValue(member, out var view):
                Do(member, LanePlan.For(view.Owners, view.Members, member));
                break;
        }
    }

    private void Expire()
    {
        var lane = _random.Next(_owners.Length);
        if (_owners[lane] is { } owner && !_members.Contains(owner))
            _owners[lane] = null;
    }

    private void Do(string member, LanePlan plan)
    {
        Say($"{member} claims {string.Join(',', plan.Claim)} releases {string.Join(',', plan.Release)} of {string.Concat(_owners.Select(owner => owner ?? "."))}");
        foreach (var lane in plan.Claim)
            _owners[lane] ??= member;
        foreach (var lane in plan.Release.Where(lane => _owners[lane] == member))
            _owners[lane] = null;
    }

    private void Say(string what) => _log.Add(what);
}
