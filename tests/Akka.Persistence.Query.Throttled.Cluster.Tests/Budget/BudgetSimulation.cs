using System.Text;
using Akka.Actor;
using Akka.Cluster;
using Akka.Persistence.Query.Throttled.Cluster.Budget;

namespace Akka.Persistence.Query.Throttled.Cluster.Tests.Budget;

/// <summary>
/// A cluster in one thread, a second a step: nodes that join, leave, crash, restart with another uid, and networks that part. Gossip reaches each node by
/// its own way, as in Akka.Cluster: views merge by the status of each member, and the leader acts only when all have the same view. Each node starts as
/// many statements as its share allows, and a statement runs for up to its timeout, also when its node is dead.
/// </summary>
internal sealed class BudgetSimulation
{
    internal const int EventDelay = 2;
    private const int Timeout = 24;
    private const int Margin = 6;
    private const int Detection = 4;
    private const int Faults = 140;
    private const int Quiet = 90;

    private readonly BudgetTimes _times = new(TimeSpan.FromSeconds(Timeout + Margin), TimeSpan.FromSeconds(EventDelay + 1));
    private readonly List<SimulatedNode> _nodes = [];
    private readonly List<(int Due, SimulatedNode From, SimulatedNode To, Action Act)> _messages = [];
    private readonly StringBuilder _story = new();
    private readonly Random _random;
    private readonly Mutation _mutation;
    private readonly ClusterLimits _budget;
    private readonly bool _isSplit;
    private int _now;
    private int _uid;
    private int? _partedAt;
    private bool _isSplitForGood;

    internal BudgetSimulation(int seed, Mutation mutation = Mutation.None)
    {
        _random = new(seed);
        _mutation = mutation;
        _budget = new(_random.Next(24, 61), 0);
        _isSplit = mutation == Mutation.SplitBrain || _random.Next(8) == 0;
        var first = Start(0);
        first.View[first.Id] = MemberStatus.Up;
    }

    /// <summary>Whether some node had a share at the end.</summary>
    internal int SharesTaken { get; private set; }

    internal void Run()
    {
        for (_now = 0; _now < Faults + Quiet; _now++)
        {
            if (_now < Faults)
                Disturb();
            else if (_now == Faults)
                Heal();
            Gossip();
            foreach (var side in _nodes.GroupBy(node => node.Side).ToList())
                Lead([.. side.Where(node => node.IsAlive)]);
            foreach (var node in _nodes.Where(node => node.IsAlive).OrderBy(_ => _random.Next()).ToList())
                Step(node);
            foreach (var message in _messages.Where(message => message.Due <= _now).ToList())
                Receive(message);
            foreach (var node in _nodes)
                Execute(node);
            Check();
        }
        CheckAtTheEnd();
    }

    private void Disturb()
    {
        var up = _nodes.Where(node => node.IsUp && node.DrainsUntil is null && node.DownsItselfAt is null).ToList();
        switch (_random.Next(24))
        {
            case 0 or 1 when _nodes.Count(node => node.IsAlive) < 7:
                Join(Start(_random.Next(9)), up);
                break;
            case 2 when up.Count > 2 && _partedAt is null:
                Leave(Any(up));
                break;
            case 3 when up.Count > 2 && _partedAt is null:
                Crash(Any(up));
                break;
            case 4 when up.Count > 2 && _partedAt is null && !_isSplitForGood && _random.Next(3) == 0:
                Part();
                break;
            case 5 when _nodes.Where(node => !node.IsAlive && _nodes.TrueForAll(other => !other.IsAlive || other.Id.Address != node.Id.Address)).ToList() is { Count: > 0 } dead:
                Join(Start(Any(dead).Id.Address.Port!.Value), up);
                break;
        }
        if (_now == _partedAt + Detection)
            Resolve();
    }

    private SimulatedNode Start(int port)
    {
        while (_nodes.Exists(node => node.IsAlive && node.Id.Address.Port == port))
            port++;
        var node = new SimulatedNode(new(new Address("akka.tcp", "app", $"n{port}", port), ++_uid), _budget, _times);
        _nodes.Add(node);
        return node;
    }

    // An old incarnation of the same address is downed, and the new one asks again later, as in Akka.Cluster.
    private void Join(SimulatedNode node, List<SimulatedNode> contacts)
    {
        var contact = Any(contacts);
        node.Side = contact.Side;
        if (contact.Members.Where(each => each.Key.Address == node.Id.Address).Select(each => each.Key).ToList() is { Count: > 0 } old)
        {
            old.ForEach(each => contact.View[each] = MemberStatus.Down);
            node.IsAlive = false;
            Tell($"{node.Id.Address.Host} cannot join yet");
            return;
        }
        contact.View[node.Id] = MemberStatus.Joining;
        node.Copy(contact);
        Tell($"{node.Id.Address.Host}#{node.Id.Uid} joins at {contact.Id.Address.Host}");
    }

    private void Leave(SimulatedNode node)
    {
        node.DrainsUntil = _now + _random.Next(Timeout + 3);
        node.DrainsWhenExiting = _random.Next(3) == 0;
        if (node.DrainsWhenExiting)
            node.View[node.Id] = MemberStatus.Leaving;
        Tell($"{node.Id.Address.Host}#{node.Id.Uid} leaves{(node.DrainsWhenExiting ? " from outside" : "")}");
    }

    private void Crash(SimulatedNode node)
    {
        (node.IsAlive, node.DiedAt) = (false, _now);
        Tell($"{node.Id.Address.Host}#{node.Id.Uid} crashes");
    }

    private void Part()
    {
        foreach (var node in _nodes)
            node.Side = _random.Next(2);
        _partedAt = _now;
        Tell($"parted: {string.Join(", ", _nodes.Where(node => node.Side == 1 && node.IsAlive).Select(node => node.Id.Address.Host))} are apart");
        if (_random.Next(4) == 0)
            Heal();
    }

    private void Heal()
    {
        if (_isSplitForGood)
            return;
        _partedAt = null;
        foreach (var node in _nodes)
            node.Side = 0;
        Tell("healed");
    }

    // The larger side stays. The nodes of the other one end themselves, each after its own time, but before the margin is over.
    private void Resolve()
    {
        _partedAt = null;
        var sides = _nodes.Where(node => node.IsUp).GroupBy(node => node.Side).OrderByDescending(side => side.Count()).ThenBy(side => side.Key).Select(side => side.Key).ToList();
        if (sides.Count < 2)
            return;
        _isSplitForGood = true;
        foreach (var node in _nodes.Where(node => node.IsAlive && node.Side != sides[0] && !_isSplit))
            node.DownsItselfAt = _now + _random.Next(Margin - EventDelay - 1);
        Tell(_isSplit ? "each side downs the other" : $"side {sides[0]} stays");
    }

    private void Gossip()
    {
        foreach (var node in _nodes.Where(node => node.IsAlive && _random.Next(4) > 0).ToList())
        {
            if (Any(_nodes.Where(other => other.IsAlive && other.Side == node.Side && other != node && node.Members.Any(each => each.Key.Equals(other.Id))).ToList()) is not { } peer)
                continue;
            peer.Merge(node);
            if (_random.Next(2) == 0)
                node.Merge(peer);
        }
    }

    private void Lead(List<SimulatedNode> side)
    {
        if (side.Where(node => node.Status is MemberStatus.Up or MemberStatus.Leaving).MinBy(node => node.Id.Address.Port) is not { } leader)
            return;
        foreach (var gone in leader.Members.Where(each => each.Value != MemberStatus.Exiting).Select(each => NodeOf(each.Key)).Where(node => IsGone(node, leader.Side)).ToList())
            leader.View[gone.Id] = MemberStatus.Down;
        var members = leader.Members.ToList();
        if (members.Exists(each => each.Value is not (MemberStatus.Down or MemberStatus.Exiting) && !side.Contains(NodeOf(each.Key)))
            || members.Exists(each => each.Value is MemberStatus.Up or MemberStatus.Leaving && !NodeOf(each.Key).HasSameView(leader)))
            return;
        foreach (var (node, status) in members)
        {
            leader.View[node] = status switch
            {
                MemberStatus.Joining => MemberStatus.Up,
                MemberStatus.Leaving => MemberStatus.Exiting,
                MemberStatus.Exiting => NodeOf(node).IsAlive ? status : MemberStatus.Removed,
                MemberStatus.Down => MemberStatus.Removed,
                _ => status,
            };
        }
    }

    private bool IsGone(SimulatedNode node, int side) => node.Side == side ? !node.IsAlive && node.DiedAt + Detection < _now : _isSplitForGood;

    private void Step(SimulatedNode node)
    {
        node.Deliver(_now, _random, _mutation);
        if (node.DownsItselfAt <= _now)
        {
            node.Budget.Drain();
            Crash(node);
            return;
        }
        if (node.DrainsUntil is { } until && (!node.DrainsWhenExiting || node.Status == MemberStatus.Exiting))
            Drain(node, until);
        node.Budget.Advance(TimeSpan.FromSeconds(_now));
        if (node.Budget.State != BudgetState.Asking)
            return;
        foreach (var other in node.Budget.Awaited.Select(NodeOf).ToList())
        {
            if (_mutation == Mutation.JoinerDoesNotWait)
                node.Budget.Acknowledged(other.Id, []);
            else
                Send(node, other, () => Answer(node, other));
        }
    }

    private void Drain(SimulatedNode node, int until)
    {
        node.Budget.Drain();
        if (node.HasDrained)
        {
            if (node.Status == MemberStatus.Exiting)
                Crash(node);
            return;
        }
        if (node.Statements.Count > 0 && _now < until && _mutation != Mutation.LeaverDoesNotDrain)
            return;
        node.HasDrained = true;
        if ((node.Statements.Count == 0 || _mutation == Mutation.LeaverDoesNotDrain) && (node.Budget.MayRelease || _mutation == Mutation.ReleasesWhileItCounts))
        {
            foreach (var other in node.Budget.Others.Select(NodeOf).ToList())
                Send(node, other, () => other.Budget.Released(node.Id));
        }
        if (!node.DrainsWhenExiting)
            node.View[node.Id] = MemberStatus.Leaving;
    }

    private void Answer(SimulatedNode asks, SimulatedNode node)
    {
        if (_mutation != Mutation.AcknowledgesUncounted && !node.Budget.MayAcknowledge(asks.Id, _mutation == Mutation.AcknowledgesTooEarly ? 0 : node.Statements.Count))
            return;
        long[] counted = _mutation == Mutation.HidesCounted ? [] : [.. node.Budget.Counted.Select(each => (long)each.Uid)];
        Send(node, asks, () => asks.Budget.Acknowledged(node.Id, counted));
    }

    private void Send(SimulatedNode from, SimulatedNode to, Action act)
    {
        if (_random.Next(10) > 0)
            _messages.Add((_now + _random.Next(3), from, to, act));
    }

    private void Receive((int Due, SimulatedNode From, SimulatedNode To, Action Act) message)
    {
        _messages.Remove(message);
        if (message.To.IsAlive && message.From.Side == message.To.Side)
            message.Act();
    }

    private void Execute(SimulatedNode node)
    {
        node.Statements.RemoveAll(end => end <= _now);
        var share = node.IsAlive ? node.Budget.Share.Limits.Permits : 0;
        while (node.Statements.Count < share)
            node.Statements.Add(_now + (_random.Next(2) == 0 ? Timeout : _random.Next(1, Timeout + 1)));
    }

    // Two clusters that each downed the other have a budget each.
    private void Check()
    {
        var areApart = _isSplit && _isSplitForGood && _mutation != Mutation.SplitBrain;
        foreach (var side in _nodes.GroupBy(node => areApart ? node.Side : 0))
        {
            var sum = side.Sum(node => node.Statements.Count);
            if (sum > _budget.Permits)
                throw new InvalidOperationException($"At {_now} s, {sum} statements run; the budget is {_budget.Permits}.");
        }
    }

    private void CheckAtTheEnd()
    {
        foreach (var side in _nodes.Where(node => node.IsUp).GroupBy(node => node.Side))
        {
            var sum = side.Sum(node => node.Budget.Share.Limits.Permits);
            if (sum != _budget.Permits)
                throw new InvalidOperationException($"At the end, the shares of side {side.Key} are {sum}; the budget is {_budget.Permits}.");
            SharesTaken += side.Count();
        }
    }

    private SimulatedNode NodeOf(UniqueAddress id) => _nodes.Find(node => node.Id.Equals(id))!;

    private T Any<T>(List<T> all) => all.Count == 0 ? default! : all[_random.Next(all.Count)];

    private void Tell(string text) => _story.AppendLine($"{_now}: {text}");

    public override string ToString() => $"budget {_budget.Permits}{Environment.NewLine}{_story}{string.Join(Environment.NewLine, _nodes)}";
}
