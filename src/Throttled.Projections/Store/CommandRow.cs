using Throttled.Journal;

namespace Throttled.Projections.Store;

/// <summary>What somebody told a projection to do; one row of the command table.</summary>
/// <param name="Id">Ascending: commands of a lane are executed in this order.</param>
/// <param name="Target">The read model that it is for; for a rebuild the new one.</param>
/// <param name="Verb">What is to be done.</param>
internal sealed record CommandRow(long Id, string Target, CommandVerb Verb)
{
    /// <summary>The id whose dead letters are meant; null where the verb is not about any.</summary>
    internal string? PersistenceId { get; init; }

    /// <summary>The one event of the id that is meant; null for all of them.</summary>
    internal long? SequenceNumber { get; init; }

    /// <summary>The ordering that a reset goes back to; 0 for the start.</summary>
    internal long? Ordering { get; init; }

    /// <summary>The offset in a sharded journal that a reset goes back to, as <see cref="ShardedPosition.ToString"/> spells it; null where it is none.</summary>
    internal string? Place { get; init; }

    /// <summary>The time, in UTC ticks, that a reset goes back to; null where it names an ordering.</summary>
    internal long? Timestamp { get; init; }

    /// <summary>How many lanes there are to be; null where the verb is not about them.</summary>
    internal int? Lanes { get; init; }

    /// <summary>What in the row no command has, where somebody inserted it by hand; null where there is nothing.</summary>
    internal string? Unreadable { get; init; }

    /// <summary>Its verb as it is in the row, for people to read.</summary>
    internal string VerbText { get; init; } = Verb.ToString();

    /// <summary>Why nobody can execute it; null where somebody can.</summary>
    internal string? Refusal => Unreadable
        ?? (Verb is CommandVerb.Retry or CommandVerb.Discard && PersistenceId is null ? $"Its persistence_id is null, and {Verb} needs one." : null);

    /// <summary>Whether a lane executes it, and not the process that leads.</summary>
    internal bool IsForLane => Verb is CommandVerb.Retry or CommandVerb.Discard && Refusal is null;
}
