using Akka.Actor;
using Akka.Cluster;
using Akka.Persistence.Query.Throttled.Cluster.Budget;

namespace Akka.Persistence.Query.Throttled.Cluster.Tests.Budget;

/// <summary>One process of a simulated cluster: what gossip told it, the events that its budget has not handled yet, and its statements on the server.</summary>
internal sealed class SimulatedNode(UniqueAddress id, ClusterLimits budget, BudgetTimes times)
{
    private readonly Dictionary<UniqueAddress, MemberStatus> _published = [];
    private readonly Queue<(int Due, UniqueAddress Node, MemberStatus Status)> _events = [];
    private int _lastDue;

    internal UniqueAddress Id => id;

    internal BudgetNode Budget { get; } = new(id, budget, times);

    /// <summary>What this node knows of the members. A member that is Removed stays here, as a tombstone.</summary>
    internal Dictionary<UniqueAddress, MemberStatus> View { get; private set; } = [];

    internal List<int> Statements { get; } = [];

    /// <summary>The side of the network on which this node is.</summary>
    internal int Side { get; set; }

    internal bool IsAlive { get; set; } = true;

    internal int DiedAt { get; set; }

    /// <summary>When the node ends itself, because the other side downed it.</summary>
    internal int? DownsItselfAt { get; set; }

    /// <summary>When the node gives up waiting for its statements, and leaves; null if it does not leave.</summary>
    internal int? DrainsUntil { get; set; }

    /// <summary>Whether the node drains only when it is Exiting, because an operator made it leave from outside.</summary>
    internal bool DrainsWhenExiting { get; set; }

    internal bool HasDrained { get; set; }

    internal MemberStatus Status => View.GetValueOrDefault(id, MemberStatus.Removed);

    internal bool IsUp => IsAlive && Status == MemberStatus.Up;

    internal IEnumerable<KeyValuePair<UniqueAddress, MemberStatus>> Members => View.Where(each => each.Value != MemberStatus.Removed);

    internal void Copy(SimulatedNode other) => View = new(other.View);

    internal void Merge(SimulatedNode other)
    {
        foreach (var (node, status) in other.View)
        {
            if (!View.TryGetValue(node, out var own) || Rank(status) > Rank(own))
                View[node] = status;
        }
    }

    internal bool HasSameView(SimulatedNode other) => View.Count == other.View.Count && View.All(each => other.View.TryGetValue(each.Key, out var status) && status == each.Value);

    /// <summary>Publishes what changed, in any order, and hands the budget the events that are due.</summary>
    internal void Deliver(int now, Random random, Mutation mutation)
    {
        var due = _lastDue = Math.Max(_lastDue, now + random.Next(BudgetSimulation.EventDelay + 1));
        foreach (var (node, status) in View.Where(each => !_published.TryGetValue(each.Key, out var old) || old != each.Value).OrderBy(_ => random.Next()).ToList())
        {
            if (_published.ContainsKey(node) || status != MemberStatus.Removed)
                _events.Enqueue((due, node, status));
            _published[node] = status;
        }
        while (_events.TryPeek(out var first) && first.Due <= now)
        {
            _events.Dequeue();
            Handle(first.Node, first.Status, TimeSpan.FromSeconds(now), mutation);
        }
    }

    private void Handle(UniqueAddress node, MemberStatus status, TimeSpan now, Mutation mutation)
    {
        if (status != MemberStatus.Removed)
        {
            if ((mutation != Mutation.CountsOnlyUp && mutation != Mutation.AcknowledgesUncounted) || node.Equals(id) || status != MemberStatus.Joining)
                Budget.Seen(node, status, now);
            return;
        }
        if (mutation == Mutation.GrowsAtOnce || (mutation == Mutation.RemovalCountsAsAcknowledgement && Budget.State == BudgetState.Asking))
            Budget.Released(node);
        Budget.Removed(node, now);
    }

    private static int Rank(MemberStatus status) => status switch
    {
        MemberStatus.Joining => 0,
        MemberStatus.Up => 1,
        MemberStatus.Leaving => 2,
        MemberStatus.Exiting => 3,
        MemberStatus.Down => 4,
        _ => 5,
    };

    public override string ToString() =>
        $"{id.Address.Host}#{id.Uid} {(IsAlive ? Status : "dead")} side {Side} {Budget.State} share {Budget.Share.Limits.Permits} of {Budget.Share.Nodes} held {Statements.Count}";
}

/// <summary>A mistake that the simulation must find.</summary>
internal enum Mutation
{
    None,

    /// <summary>Members that join are not counted before they are Up.</summary>
    CountsOnlyUp,

    /// <summary>The same, and such members are acknowledged.</summary>
    AcknowledgesUncounted,

    /// <summary>The others grow as soon as a member that was downed is removed.</summary>
    GrowsAtOnce,

    /// <summary>A node takes its share as soon as it is Up.</summary>
    JoinerDoesNotWait,

    /// <summary>A node acknowledges another although it still runs more statements than its smaller share.</summary>
    AcknowledgesTooEarly,

    /// <summary>An acknowledgement does not say which nodes are counted.</summary>
    HidesCounted,

    /// <summary>A node does not wait for the acknowledgement of a node that was removed.</summary>
    RemovalCountsAsAcknowledgement,

    /// <summary>A node that leaves says that it has released its share while its statements run.</summary>
    LeaverDoesNotDrain,

    /// <summary>A node that leaves says that it has released its share while it still counts nodes that are gone.</summary>
    ReleasesWhileItCounts,

    /// <summary>Each side of a partition goes on without the other, and the sums are taken over both sides.</summary>
    SplitBrain,
}
