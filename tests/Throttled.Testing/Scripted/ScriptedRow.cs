namespace Throttled.Testing.Scripted;

/// <summary>A row of the in-memory journal.</summary>
internal sealed class ScriptedRow(long ordering, string persistenceId, long sequenceNumber, int payload)
{
    internal long Ordering => ordering;

    internal string PersistenceId => persistenceId;

    internal long SequenceNumber => sequenceNumber;

    internal int Payload => payload;

    /// <summary>When the row was marked as deleted or removed, in the journal's count of changes; null if it was not.</summary>
    internal int? DeletedAt { get; set; }

    /// <summary>Whether no statement can read it.</summary>
    internal bool IsPoisoned { get; set; }

    /// <summary>The size of the payload in bytes if it is above the limit, so that no statement returns it; otherwise 0.</summary>
    internal int LeftOut { get; set; }

    internal IReadOnlyList<string> Tags { get; init; } = [];

    internal bool Has(IReadOnlyList<string> any, StringComparer comparer) => any.Any(tag => Tags.Contains(tag, comparer));

    /// <param name="withTags">Whether the event has its tags; otherwise a later step reads them.</param>
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
