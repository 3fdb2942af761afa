using System.Diagnostics.CodeAnalysis;
using Throttled.Journal;

namespace Akka.Persistence.Query.Throttled;

/// <summary>
/// How far a journal of several shards was read: the offset that envelopes of all events, by tag and by slices carry there. Store its text, and read on
/// from it, in any of these queries. Immutable.
/// </summary>
[SuppressMessage("Design", "CA1036", Justification = "Akka.NET's offsets have no operators, and two of these may not be comparable.")]
public sealed class ShardedOffset : Offset, IEquatable<ShardedOffset>
{
    /// <summary>The offset behind a position.</summary>
    /// <param name="position">
    /// The position, as a <see cref="JournalReader"/> has it; or <see cref="ShardedPosition.At"/> a <see cref="Sequence"/> that was stored before the journal's
    /// events were divided among shards with their orderings kept.
    /// </param>
    public ShardedOffset(ShardedPosition position)
    {
        ArgumentNullException.ThrowIfNull(position);
        Position = position;
    }

    /// <summary>An ordering for each shard.</summary>
    public ShardedPosition Position { get; }

    /// <summary>Reads what <see cref="ToString"/> wrote.</summary>
    /// <param name="text">The text: <c>0-511:1042,512-1023:77</c>.</param>
    /// <exception cref="FormatException">It is none.</exception>
    public static ShardedOffset Parse(string text) => new(ShardedPosition.Parse(text));

    /// <summary>Below 0 where this is behind the other in some shards and ahead in none, 0 where they are the same, above 0 where it is ahead.</summary>
    /// <param name="other">The other.</param>
    /// <exception cref="InvalidOperationException">
    /// The other is of another kind, or of a journal that is divided otherwise; or each is ahead in some shard, so that neither comes before the other.
    /// </exception>
    public override int CompareTo(Offset? other)
    {
        if (other is not ShardedOffset { Position: var position })
            throw new InvalidOperationException($"Can't compare offset of type {GetType()} to offset of type {other?.GetType().ToString() ?? "null"}");
        return Position.CompareWith(position) ?? throw new InvalidOperationException(
            $"Can't compare offset {this} to offset {position}: "
            + (Position.Map.Equals(position.Map) ? "each is ahead of the other in some shard." : "their journals are divided among shards in different ways."));
    }

    /// <summary>Whether another is the same place.</summary>
    /// <param name="other">The other.</param>
    public bool Equals(ShardedOffset? other) => other is not null && Position.Equals(other.Position);

    /// <inheritdoc/>
    public override bool Equals(object? obj) => Equals(obj as ShardedOffset);

    /// <inheritdoc/>
    public override int GetHashCode() => Position.GetHashCode();

    /// <summary>The slices of each shard and its ordering: <c>0-511:1042,512-1023:77</c>.</summary>
    public override string ToString() => Position.ToString();
}
