using Throttled.Projections;

namespace Akka.Persistence.Query.Throttled.Cluster;

/// <summary>How events are sent to entities of Akka.Cluster.Sharding.</summary>
/// <typeparam name="TEntity">The key of the shard region in the actor registry, as in <c>WithShardRegion&lt;TEntity&gt;</c>.</typeparam>
public sealed class EntityHandlerOptions<TEntity>
{
    /// <summary>
    /// Makes the message of an event; null sends nothing. The shard region's message extractor finds the entity of the message. The message should have
    /// the event's ordering or sequence number, because an entity may get an event again. It crosses nodes, so it needs a serializer. By default the
    /// payload itself.
    /// </summary>
    public Func<ProjectionEvent, object?> Message { get; set; } = static each => each.Payload;

    /// <summary>
    /// The key of the events that must stay in order, for example the id of the entity that gets them; the persistence id by default. Events of one key
    /// are sent one after another, each after the entity has acknowledged the one before. Events of different lanes have no order: if persistence ids of
    /// several lanes have one key, the entity gets their events mixed.
    /// </summary>
    public Func<ProjectionEvent, string> OrderedBy { get; set; } = static each => each.PersistenceId;

    /// <summary>Events of a lane that may wait for their acknowledgements at once: 1 to 100,000; 100 by default.</summary>
    public int MaxUnacknowledged { get; set; } = 100;

    /// <summary>If an entity does not acknowledge an event for this long, the event has failed and is sent again: 100 ms to 1 h; 10 s by default.</summary>
    public TimeSpan AckTimeout { get; set; } = TimeSpan.FromSeconds(10);

    /// <exception cref="ArgumentException">A value is out of its range.</exception>
    internal void Validate()
    {
        ArgumentNullException.ThrowIfNull(Message);
        ArgumentNullException.ThrowIfNull(OrderedBy);
        if (MaxUnacknowledged is < 1 or > 100_000)
            throw new ArgumentException(FormattableString.Invariant($"'MaxUnacknowledged' is {MaxUnacknowledged}; it must be from 1 to 100000. Leave it out for 100."));
        if (AckTimeout < TimeSpan.FromMilliseconds(100) || AckTimeout > TimeSpan.FromHours(1))
            throw new ArgumentException($"'AckTimeout' is {AckTimeout}; it must be from 100 ms to 1 h. Leave it out for 10 s.");
    }
}
