using Throttled.Journal;

namespace Throttled.Testing.Scripted;

/// <summary>A row of the in-memory journal.</summary>
internal sealed class ScriptedRow(long ordering, string persistenceId, long sequenceNumber, int payload)
{
    internal long Ordering => ordering;

    internal string PersistenceId => persistenceId;

    internal long SequenceNumber => sequenceNumber;

    internal int Payload => payload;

    /// <summary>When it was marked as deleted or removed, in the journal's count of changes; null while it stands.</summary>
    internal int? DeletedAt { get; set; }

    /// <summary>Whether no statement can read it.</summary>
    internal bool IsPoisoned { get; set; }

    /// <summary>How long the payload is, where it is above the limit and no statement brings it; otherwise 0.</summary>
    internal int LeftOut { get; set; }

    internal IReadOnlyList<string> Tags { get; init; } = [];

    internal bool Has(IReadOnlyList<string> any, StringComparer comparer) => any.Any(tag => Tags.Contains(tag, comparer));

    /// <param name="withTags">Whether its tags come with it; others read them later.</param>
    internal JournalEvent ToEvent(bool withTags = true) => new()
    {
        Ordering = ordering,
        PersistenceId = persistenceId,
        SequenceNumber = sequenceNumber,
        Payload = LeftOut > 0 ? default : new byte[payload],
        OmittedPayloadBytes = LeftOut,
        Tags = withTags ? Tags : [],
    };
}
