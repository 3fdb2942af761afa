using System.Diagnostics.CodeAnalysis;
using System.Globalization;
using Akka.Actor;
using Akka.Cluster;
using Akka.Persistence.Query.Throttled.Cluster.Diagnostics;
using Akka.Persistence.Query.Throttled.Settings;
using Microsoft.Extensions.Logging;
using Throttled.Journal.Permits;

namespace Akka.Persistence.Query.Throttled.Cluster.Budget;

/// <summary>
/// Gives one journal its share of the budget: turns the cluster's events into a <see cref="BudgetNode"/>'s, and its share into the journal's ceilings. If
/// it restarts, it begins again without a share.
/// </summary>
[SuppressMessage("Design", "CA1001", Justification = "An actor disposes what it owns in PostStop.")]
internal sealed class BudgetActor : ReceiveActor, IWithTimers
{
    private static readonly TimeSpan Interval = TimeSpan.FromMilliseconds(250);

    private readonly global::Akka.Cluster.Cluster _cluster = global::Akka.Cluster.Cluster.Get(Context.System);
    private readonly BudgetContext _context;
    private readonly BudgetMetrics _metrics;
    private readonly BudgetNode _node;
    private readonly long _started;
    private IActorRef? _awaitsRelease;
    private BudgetState? _state;
    private BudgetShare? _share;
    private bool _isTooSmall;
    private bool _isReleased;

    public BudgetActor(BudgetContext context)
    {
        _context = context;
        _metrics = new(context.PluginId);
        _started = context.Time.GetTimestamp();
        _node = new(_cluster.SelfUniqueAddress, new(context.Settings.MaxConcurrentQueries is > 0 and var permits ? permits : int.MaxValue, context.Settings.MaxQueriesPerSecond), context.Times);
        Handle<ClusterEvent.CurrentClusterState>(state =>
        {
            foreach (var member in state.Members)
                Seen(member);
        });
        Handle<ClusterEvent.MemberRemoved>(removed => _node.Removed(removed.Member.UniqueAddress, Now));
        Handle<ClusterEvent.IMemberEvent>(change => Seen(change.Member));
        Handle<ShareRequest>(request =>
        {
            if (_node.MayAcknowledge(request.From, Held))
                Tell(request.From, new ShareAck(_node.Self, [.. _node.Counted.Select(node => (long)node.Uid)]));
        });
        Handle<ShareAck>(ack => _node.Acknowledged(ack.From, ack.Counted));
        Handle<ShareReleased>(released => _node.Released(released.From));
        Handle<ReleaseShare>(_ =>
        {
            _awaitsRelease = Sender;
            _node.Drain();
        });
        Handle<BudgetTick>(_ => Ticked());
    }

    public ITimerScheduler Timers { get; set; } = null!;

    private TimeSpan Now => _context.Time.GetElapsedTime(_started);

    // Each shard has the whole budget, so the one with the most statements counts.
    private int Held => _context.Ceilings.Max(ceiling => ceiling.Held);

    internal static Props Props(BudgetContext context) => Akka.Actor.Props.Create<BudgetActor>(context).WithDispatcher("akka.actor.internal-dispatcher");

    /// <summary>The name of the actor of a journal, below <c>/system</c> on every node.</summary>
    internal static string NameOf(string pluginId) => $"throttled-budget-{Uri.EscapeDataString(pluginId)}";

    protected override void PreStart()
    {
        // All members come in one message, so none is missing when this node counts them.
        _cluster.Subscribe(Self, ClusterEvent.SubscriptionInitialStateMode.InitialStateAsSnapshot, typeof(ClusterEvent.IMemberEvent));
        Timers.StartPeriodicTimer(BudgetTick.Instance, BudgetTick.Instance, Interval);
        Apply();
    }

    protected override void PostStop()
    {
        _cluster.Unsubscribe(Self);
        foreach (var ceiling in _context.Ceilings)
            ceiling.Set(0, ceiling.PerSecond);
        _metrics.Dispose();
    }

    private void Handle<T>(Action<T> handle) => Receive<T>(message =>
    {
        handle(message);
        Apply();
    });

    private void Seen(Member member)
    {
        if (_context.Settings.Role.Length == 0 || member.HasRole(_context.Settings.Role))
            _node.Seen(member.UniqueAddress, member.Status, Now);
    }

    private void Ticked()
    {
        _node.Advance(Now);
        if (_node.State == BudgetState.Asking)
        {
            foreach (var node in _node.Awaited)
                Tell(node, new ShareRequest(_node.Self));
        }
        else if (_node.State == BudgetState.Draining)
        {
            Release();
        }
    }

    private void Release()
    {
        if (Held > 0)
            return;
        if (!_isReleased && _node.MayRelease)
        {
            _isReleased = true;
            foreach (var node in _node.Others)
                Tell(node, new ShareReleased(_node.Self));
        }
        _awaitsRelease?.Tell(Done.Instance);
        _awaitsRelease = null;
    }

    private void Tell(UniqueAddress node, object message) =>
        Context.ActorSelection(new RootActorPath(node.Address) / "system" / Self.Path.Name).Tell(message);

    private void Apply()
    {
        var share = _node.Share;
        if (_state == _node.State && _share == share)
            return;
        foreach (var ceiling in _context.Ceilings)
            ceiling.Set(share.Limits.Permits, share.Limits.PerSecond);
        _metrics.Set(share.Limits.Permits, share.Nodes);
        if (_state == BudgetState.Asking && _node is { State: BudgetState.Sharing, Awaited.Count: > 0 })
            _context.Log.NotConfirmed(_context.PluginId, _context.Times.Grace.TotalSeconds, _node.Awaited.Listed());
        _context.Log.ShareChanged(_context.PluginId, share.Limits.ToString(), _node.Budget.ToString(), Reason(share));
        WarnIfTooSmall(share.Nodes);
        (_state, _share) = (_node.State, share);
    }

    private void WarnIfTooSmall(int nodes)
    {
        var least = new[] { _context.Settings.MaxConcurrentQueries, _context.Settings.MaxQueriesPerSecond }.Where(limit => limit > 0).Min();
        var isTooSmall = nodes > least;
        if (isTooSmall && !_isTooSmall)
            _context.Log.BudgetExceeded(_context.PluginId, _context.Settings.Smallest, nodes);
        _isTooSmall = isTooSmall;
    }

    private string Reason(BudgetShare share) => _node.State switch
    {
        BudgetState.Joining => "It is not Up yet.",
        BudgetState.Asking => string.Create(CultureInfo.InvariantCulture, $"It waits until the other nodes have made room; {share.Nodes} nodes share the budget."),
        BudgetState.Sharing => string.Create(CultureInfo.InvariantCulture, $"{share.Nodes} nodes share the budget."),
        _ => "It leaves the cluster, or was downed.",
    };
}

/// <summary>What a <see cref="BudgetActor"/> uses. It survives a restart.</summary>
internal sealed record BudgetContext(
    string PluginId, BudgetSettings Settings, IReadOnlyList<PermitCeiling> Ceilings, BudgetTimes Times, TimeProvider Time, ILogger Log);
