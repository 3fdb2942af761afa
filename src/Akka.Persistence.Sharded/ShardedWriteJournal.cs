using System.Runtime.CompilerServices;
using Akka.Actor;
using Akka.Event;
using Akka.Persistence.Query.Throttled.Settings;
using Throttled.Journal;

namespace Akka.Persistence.Sharded;

/// <summary>
/// The write journal over several write plugins. It forwards each message of Akka.NET's journal protocol to the plugin of its
/// shard, which answers the sender. Akka.NET creates it by its class name, which is in users' configurations.
/// </summary>
internal sealed class ShardedWriteJournal : UntypedActor
{
    // Static, because the routes must survive a restart: a deferred message must still follow the actor's earlier writes.
    private static readonly ConditionalWeakTable<IActorRef, WriteRoutes> Routes = [];

    private readonly ILoggingAdapter _log = Context.GetLogger();
    private readonly ShardJournals? _shards;
    private readonly WriteRoutes? _routes;
    private readonly ShardGates? _gates;
    private readonly ShardsHealth? _health;
    private readonly Exception? _refusal;

    public ShardedWriteJournal()
    {
        try
        {
            // Akka.NET names a plugin's actor by the path of its section, and gives the path in no other way.
            var settings = WriteShards.Read(Context.System.Settings.Config, Self.Path.Name);
            _shards = new(settings, Context, _log);
            _routes = Routes.GetValue(Self, _ => new(settings.Map, actor => Context.Watch(actor)));
            _health = new(settings.Path, settings.Map, TimeProvider.System);
            _gates = new(_shards.CanProbe, new()
            {
                Open = Open,
                Forward = _shards.Forward,
                Refuse = (request, cause) => JournalReplies.Failed(request, cause, Self),
                Probe = shard => _shards.ProbeAsync(shard).PipeTo(Self),
            });
        }
        catch (Exception error)
        {
            // If the actor failed to start, senders would get no answer until they time out.
            _log.RefusedShards(Self.Path.Name, error);
            _refusal = error;
        }
    }

    /// <summary>How many persistent actors are remembered.</summary>
    internal int Remembered => _routes?.Count ?? 0;

    protected override void PreStart() => _gates?.Start();

    // Answer the waiting requests and the message on which the actor failed, because no other actor does.
    protected override void PreRestart(Exception reason, object message)
    {
        var cause = new JournalException(
            $"The write journal '{Self.Path.Name}' restarted before it forwarded this message, so the message had no effect: {reason.Message}", reason);
        _gates?.RefuseAll(cause);
        JournalReplies.Failed(new(message, Sender), cause, Self);
        base.PreRestart(reason, message);
    }

    protected override void OnReceive(object message)
    {
        switch (message)
        {
            case CheckJournalHealth check when _health is not null:
                Check(check);
                break;
            case CheckShardHealth(var shard, var check):
                _gates!.Take(shard, new(check, Sender));
                break;
            case ShardProbeResult result:
                _shards!.LogChange(result);
                _gates!.Probed(result.Shard, result.Error);
                break;
            case Terminated ended when _shards?.Stopped(ended.ActorRef) is (var shard, var cause):
                _gates!.Close(shard, cause);
                break;
            case Terminated ended:
                _routes?.Forget(ended.ActorRef);
                break;
            default:
                Take(message);
                break;
        }
    }

    // The check of a shard passes the shard's gate, like any message for that shard.
    private void Check(CheckJournalHealth check)
    {
        var self = Self;
        _health!.AskAsync(AskAsync, check.CancellationToken).PipeTo(Sender, self, result => new JournalHealthCheckResponse(result));

        async Task<PersistenceHealthCheckResult> AskAsync(int shard, CancellationToken given) =>
            (await self.Ask<JournalHealthCheckResponse>(new CheckShardHealth(shard, new(given)), given).ConfigureAwait(false)).Result;
    }

    private void Open(int shard)
    {
        if (_shards!.Start(shard) is { } error)
            _gates!.Close(shard, error);
    }

    private void Take(object message)
    {
        switch (_refusal is null ? _routes!.Of(message) : new WriteRoute.Refused(_refusal))
        {
            case WriteRoute.To to:
                _gates!.Take(to.Shard, new(message, Sender));
                break;
            case WriteRoute.Reply:
                JournalReplies.Looped((WriteMessages)message, Self);
                break;
            case WriteRoute.Refused refused when JournalReplies.Failed(new(message, Sender), refused.Cause, Self):
                break;
            default:
                // These include a read journal's messages for the older plugins, which no single shard could answer.
                Unhandled(message);
                break;
        }
    }
}
