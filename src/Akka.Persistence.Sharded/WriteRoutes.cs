using Akka.Actor;
using Throttled.Journal;

namespace Akka.Persistence.Sharded;

/// <summary>
/// Which shard each message of Akka.NET's journal protocol is for: that of its persistence id. What an actor only defers has none, and has
/// to come back behind the events that the actor persisted before: it goes where those went. Not thread-safe: its actor is.
/// </summary>
/// <param name="map">Which shard has which slices.</param>
/// <param name="watch">Told of each actor that is remembered, which is to be forgotten when it has ended.</param>
internal sealed class WriteRoutes(ShardMap map, Action<IActorRef> watch)
{
    private readonly WriteRoute.To[] _shards = [.. Enumerable.Range(0, map.Count).Select(shard => new WriteRoute.To(shard))];
    private readonly Dictionary<IActorRef, int> _last = [];

    /// <summary>How many actors are remembered.</summary>
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

    // An actor defers by the journal only behind what it has told it to write, so that one who is not known has nothing on its way that its
    // answer could overtake (Eventsourced.DeferAsync in Akka.NET).
    private WriteRoute Deferred(IActorRef? actor) =>
        actor is not null && _last.TryGetValue(actor, out var shard) ? _shards[shard] : WriteRoute.Reply.Instance;

    private void Remember(IActorRef? actor, int shard)
    {
        // Nobody hears of the end of a reference without an actor, such as that of an Ask: https://github.com/akkadotnet/akka.net/issues/7495
        if (actor is null or MinimalActorRef || (_last.TryGetValue(actor, out var known) && known == shard))
            return;
        if (_last.TryAdd(actor, shard))
            watch(actor);
        else
            _last[actor] = shard;
    }

    // A persistent actor has one id: only who speaks to the journal himself can send this.
    private static WriteRoute.Refused Several(WriteRoute one, WriteRoute other) => new(new InvalidOperationException(FormattableString.Invariant(
        $"Events of the shards {((WriteRoute.To)one).Shard} and {((WriteRoute.To)other).Shard} are in one write; they must be of one shard. Write the events of each persistence id separately.")));
}

/// <summary>What becomes of a message to a sharded write journal.</summary>
internal abstract record WriteRoute
{
    private WriteRoute()
    {
    }

    /// <summary>It is a shard's.</summary>
    internal sealed record To(int Shard) : WriteRoute;

    /// <summary>Nothing is to be written, and nothing of its actor is on its way: it is answered where it is.</summary>
    internal sealed record Reply : WriteRoute
    {
        internal static Reply Instance { get; } = new();
    }

    /// <summary>No shard could do what it says.</summary>
    internal sealed record Refused(Exception Cause) : WriteRoute;

    /// <summary>It is no message to a journal.</summary>
    internal sealed record None : WriteRoute
    {
        internal static None Instance { get; } = new();
    }
}
