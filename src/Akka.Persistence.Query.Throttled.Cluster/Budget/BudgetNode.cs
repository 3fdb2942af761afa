using System.Globalization;
using Akka.Cluster;

namespace Akka.Persistence.Query.Throttled.Cluster.Budget;

/// <summary>
/// One node's part of the budget of its cluster: events of membership in, the node's share out. Not thread-safe; the caller provides the time.
/// </summary>
/// <remarks>
/// The rule that keeps the sum within the budget: each node with a share counts every other node with a share, and runs at most its part of those that
/// it counts. So a node counts others as soon as it sees them, and takes its own share only when all others have acknowledged that they count it.
/// </remarks>
/// <param name="self">This node.</param>
/// <param name="budget">The budget of all nodes.</param>
/// <param name="times">How long this node waits.</param>
internal sealed class BudgetNode(UniqueAddress self, ClusterLimits budget, BudgetTimes times)
{
    private readonly Dictionary<UniqueAddress, MemberStatus> _members = [];
    private readonly Dictionary<UniqueAddress, TimeSpan> _countedUntil = [];
    private readonly HashSet<UniqueAddress> _released = [];
    private readonly HashSet<UniqueAddress> _awaited = [];
    private TimeSpan? _upSince;

    internal UniqueAddress Self => self;

    internal ClusterLimits Budget => budget;

    internal BudgetState State { get; private set; } = BudgetState.Joining;

    /// <summary>The nodes whose acknowledgement this node waits for.</summary>
    internal IReadOnlyCollection<UniqueAddress> Awaited => _awaited;

    /// <summary>All nodes among which the budget is divided.</summary>
    internal IEnumerable<UniqueAddress> Counted => _members.Keys.Union(_countedUntil.Keys).Append(self).Distinct();

    /// <summary>Members that may have a share, without this node.</summary>
    internal IEnumerable<UniqueAddress> Others => _members.Keys.Where(node => !node.Equals(self));

    /// <summary>What this node may use now.</summary>
    internal BudgetShare Share => State == BudgetState.Sharing ? Part : Part with { Limits = Part.Limits with { Permits = 0 } };

    // What this node may use when it has its share.
    private BudgetShare Part
    {
        get
        {
            var counted = Counted.ToList();
            var before = counted.Count(node => node.CompareTo(self) < 0);
            return new(new(budget.Permits == int.MaxValue ? int.MaxValue : Of(budget.Permits), budget.PerSecond == 0 ? 0 : Of(budget.PerSecond)), counted.Count);

            // At least 1, because a node without permits would read nothing.
            int Of(int total) => Math.Max(1, (total / counted.Count) + (before < total % counted.Count ? 1 : 0));
        }
    }

    /// <summary>A member has a status, which is not Removed.</summary>
    internal void Seen(UniqueAddress node, MemberStatus status, TimeSpan now)
    {
        var before = _members.GetValueOrDefault(node, MemberStatus.Joining);
        _members[node] = status;
        if (!node.Equals(self))
        {
            if (State == BudgetState.Asking && !MayHaveShare(before) && MayHaveShare(status))
                _awaited.Add(node);
        }
        else if (status == MemberStatus.Down)
            Drain();
        else if (status == MemberStatus.Up)
            _upSince ??= now;
    }

    /// <summary>A member is gone. Its statements may still run, unless it said that it released its share.</summary>
    internal void Removed(UniqueAddress node, TimeSpan now)
    {
        if (node.Equals(self))
            Drain();
        else if (_members.Remove(node) && !_released.Remove(node))
            _countedUntil[node] = now + times.Grace;
    }

    /// <summary>A node has released its share for good: none of its statements runs.</summary>
    internal void Released(UniqueAddress node)
    {
        _awaited.Remove(node);
        if (_members.ContainsKey(node))
            _released.Add(node);
        _countedUntil.Remove(node);
    }

    /// <summary>
    /// Whether this node may say that it has released its share. False while it counts nodes that are gone, because a node that joined later may know
    /// of them only through this one. Without that message, the later node counts this one for the grace period, in which the statements of the gone
    /// nodes end.
    /// </summary>
    internal bool MayRelease => _countedUntil.Count == 0;

    /// <summary>Whether this node may tell another that it counts it. Then this node's statements leave room for the share of the other one.</summary>
    /// <param name="node">The other node.</param>
    /// <param name="held">The statements that this node runs now.</param>
    internal bool MayAcknowledge(UniqueAddress node, int held) => _members.ContainsKey(node) && held <= Part.Limits.Permits;

    /// <summary>A node counts this one.</summary>
    /// <param name="node">The other node.</param>
    /// <param name="counted">
    /// The uids of all nodes that it counts. It may count one that was gone before this node joined. This node then has to ask again later.
    /// </param>
    internal void Acknowledged(UniqueAddress node, IEnumerable<long> counted)
    {
        if (Counted.Select(each => (long)each.Uid).ToHashSet().IsSupersetOf(counted))
            _awaited.Remove(node);
    }

    /// <summary>Time has passed.</summary>
    internal void Advance(TimeSpan now)
    {
        foreach (var (node, _) in _countedUntil.Where(each => each.Value <= now).ToList())
        {
            _countedUntil.Remove(node);
            _awaited.Remove(node);
        }
        // One change of the cluster comes as several events, so the others of this change may come after this node's own.
        if (State == BudgetState.Joining && now >= _upSince + times.Settling)
            Ask();
        if (State == BudgetState.Asking && (_awaited.Count == 0 || now >= _upSince + times.Grace))
            State = BudgetState.Sharing;
    }

    /// <summary>Gives up this node's share, now or later, for good.</summary>
    internal void Drain() => State = BudgetState.Draining;

    // A node is Up when all others have seen it join. So those that do not answer have also lowered their share, and after the grace period none of their
    // earlier statements runs. Members that are not Up have no share, and will ask this node before they take one.
    private void Ask()
    {
        State = BudgetState.Asking;
        _awaited.UnionWith(Others.Where(node => MayHaveShare(_members[node])).Except(_released).Concat(_countedUntil.Keys));
    }

    private static bool MayHaveShare(MemberStatus status) => status is not (MemberStatus.Joining or MemberStatus.WeaklyUp);
}

internal enum BudgetState
{
    /// <summary>The node is not Up. It has no share.</summary>
    Joining,

    /// <summary>The node waits until the others count it. It has no share.</summary>
    Asking,

    /// <summary>The node has its share.</summary>
    Sharing,

    /// <summary>The node leaves or was downed, and starts no more statements.</summary>
    Draining,
}

/// <summary>How long a node waits.</summary>
/// <param name="Grace">How long statements of a node that is gone may still run: the timeout of statements, and a margin.</param>
/// <param name="Settling">The longest time between the events of one change of the cluster.</param>
internal sealed record BudgetTimes(TimeSpan Grace, TimeSpan Settling);

/// <summary>The share of one node.</summary>
/// <param name="Limits">The limits of this node. 0 permits: no statement may start.</param>
/// <param name="Nodes">The number of nodes that are counted.</param>
internal sealed record BudgetShare(ClusterLimits Limits, int Nodes);

/// <summary>Limits of statements.</summary>
/// <param name="Permits">Statements at once; <see cref="int.MaxValue"/> for no limit.</param>
/// <param name="PerSecond">Statements per second; 0 for no limit.</param>
internal sealed record ClusterLimits(int Permits, int PerSecond)
{
    /// <summary>The limits as log messages name them.</summary>
    public override string ToString() => string.Join(" and ", new[]
    {
        Permits == int.MaxValue ? null : string.Create(CultureInfo.InvariantCulture, $"{Permits} at once"),
        PerSecond == 0 ? null : string.Create(CultureInfo.InvariantCulture, $"{PerSecond} per second"),
    }.Where(limit => limit is not null));
}
