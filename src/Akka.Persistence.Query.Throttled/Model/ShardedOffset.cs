using System.Diagnostics.CodeAnalysis;
using Throttled.Journal;

namespace Akka.Persistence.Query.Throttled;

/// <summary>
/// How far a journal of several shards was read. Envelopes of all events, by tag and by slices carry it as their offset. Store
/// its text, and start any of these queries from it. Immutable.
/// </summary>
[SuppressMessage("Design", "CA1036", Justification = "Akka.NET's offsets have no operators, and two of these may not be comparable.")]
public sealed class ShardedOffset : Offset, IEquatable<ShardedOffset>
{
    /// <summary>Creates the offset of a position.</summary>
    /// <param name="position">
    /// The position, for example of a <see cref="JournalReader"/>. If you stored a <see cref="Sequence"/> before the journal's
    /// events were divided among shards with their orderings kept, pass <see cref="ShardedPosition.At"/> of its value.
    /// </param>
    public ShardedOffset(ShardedPosition position)
    {
        ArgumentNullException.ThrowIfNull(position);
        Position = position;
    }

    /// <summary>The position: an ordering for each shard.</summary>
    public ShardedPosition Position { get; }

    /// <summary>Parses the text of <see cref="ToString"/>.</summary>
    /// <param name="text">The text, as in <c>0-511:1042,512-1023:77</c>.</param>
    /// <exception cref="FormatException">The text is not a sharded offset.</exception>
    public static ShardedOffset Parse(string text) => new(ShardedPosition.Parse(text));

    /// <summary>
    /// Compares two offsets. Below 0 if this offset is behind in some shards and ahead in none; 0 if they are equal; above 0 if
    /// this offset is ahead in some shards and behind in none.
    /// </summary>
    /// <param name="other">The other offset.</param>
    /// <exception cref="InvalidOperationException">
    /// The other offset is of another kind, or of a journal that is divided differently. Or each offset is ahead in some shard,
    /// so neither comes first.
    /// </exception>
    public override int CompareTo(Offset? other)
    {
        if (other is not ShardedOffset { Position: var position })
            throw new InvalidOperationException($"Can't compare offset of type {GetType()} to offset of type {other?.GetType().ToString() ?? "null"}");
        return Position.CompareWith(position) ?? throw new InvalidOperationException(
            $"Can't compare offset {this} to offset {position}: "
            + (Position.Map.Equals(position.Map) ? "each is ahead of the other in some shard." : "their journals are divided among shards in different ways."));
    }

    /// <summary>Whether another offset is the same position.</summary>
    /// <param name="other">The other offset.</param>
    public bool Equals(ShardedOffset? other) => other is not null && Position.Equals(other.Position);

    /// <inheritdoc/>
    public override bool Equals(object? obj) => Equals(obj as ShardedOffset);

    /// <inheritdoc/>
    public override int GetHashCode() => Position.GetHashCode();

    /// <summary>The slices of each shard and its ordering, as in <c>0-511:1042,512-1023:77</c>.</summary>
    public override string ToString() => Position.ToString();
}
