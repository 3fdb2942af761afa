using Akka.Actor;
using Throttled.Journal;

namespace Akka.Persistence.Sharded;

/// <summary>
/// Finds the shard for each message of Akka.NET's journal protocol, by its persistence id. A message that an actor only defers
/// has no persistence id, and must come back after the events that the actor persisted before. So it goes to the shard of those
/// events. Not thread-safe: its actor calls it. Remembered actors are watched, and must be forgotten when they have ended.
/// </summary>
internal sealed class WriteRoutes(ShardMap map, Action<IActorRef> watch)
{
    private readonly WriteRoute.To[] _shards = [.. Enumerable.Range(0, map.Count).Select(shard => new WriteRoute.To(shard))];
    private readonly Dictionary<IActorRef, int> _last = [];

    internal int Count => _last.Count;

    internal WriteRoute Of(object message) => message switch
    {
        WriteMessages write => Of(write),
        ReplayMessages replay => Of(replay.PersistenceId),
        DeleteMessagesTo delete => Of(delete.PersistenceId),
        _ => WriteRoute.None.Instance,
    };

    internal void Forget(IActorRef actor) => _last.Remove(actor);

    private WriteRoute Of(string? persistenceId) => persistenceId is null
        ? new WriteRoute.Refused(new ArgumentException("The persistence id is null; it must be a text."))
        : _shards[map.ShardOf(persistenceId)];

    private WriteRoute Of(WriteMessages write)
    {
        WriteRoute? route = null;
        foreach (var each in write.Messages.OfType<AtomicWrite>())
        {
            var next = Of(each.PersistenceId);
            if (next is WriteRoute.Refused)
                return next;
            if (route is not null && route != next)
                return Several(route, next);
            route = next;
        }
        if (route is not WriteRoute.To to)
            return Deferred(write.PersistentActor);
        Remember(write.PersistentActor, to.Shard);
        return to;
    }

    // An actor defers through the journal only after events that it has sent to the journal (Eventsourced.DeferAsync in
    // Akka.NET). If an actor is not known, no event is on its way, so an answer cannot overtake one.
    private WriteRoute Deferred(IActorRef? actor) =>
        actor is not null && _last.TryGetValue(actor, out var shard) ? _shards[shard] : WriteRoute.Reply.Instance;

    private void Remember(IActorRef? actor, int shard)
    {
        // The end of a reference without an actor, as that of an Ask, cannot be watched: https://github.com/akkadotnet/akka.net/issues/7495
        if (actor is null or MinimalActorRef || (_last.TryGetValue(actor, out var known) && known == shard))
            return;
        if (_last.TryAdd(actor, shard))
            watch(actor);
        else
            _last[actor] = shard;
    }

    // A persistent actor has one id, so only code that sends to the journal directly can cause this.
    private static WriteRoute.Refused Several(WriteRoute one, WriteRoute other) => new(new InvalidOperationException(FormattableString.Invariant(
        $"Events of the shards {((WriteRoute.To)one).Shard} and {((WriteRoute.To)other).Shard} are in one write; they must be of one shard. Write the events of each persistence id separately.")));
}

/// <summary>What happens to a message for a sharded write journal.</summary>
internal abstract record WriteRoute
{
    private WriteRoute()
    {
    }

    /// <summary>A shard gets the message.</summary>
    internal sealed record To(int Shard) : WriteRoute;

    /// <summary>The message writes nothing, and its actor has no event on its way: the sharded journal answers it.</summary>
    internal sealed record Reply : WriteRoute
    {
        internal static Reply Instance { get; } = new();
    }

    /// <summary>No shard can handle the message.</summary>
    internal sealed record Refused(Exception Cause) : WriteRoute;

    /// <summary>The message is not one of the journal protocol.</summary>
    internal sealed record None : WriteRoute
    {
        internal static None Instance { get; } = new();
    }
}
