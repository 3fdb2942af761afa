namespace Throttled.Journal.Sql;

/// <summary>What the tail reads of each new row.</summary>
internal readonly record struct JournalKey(long Ordering, string PersistenceId, long SequenceNumber);
