namespace Throttled.Journal.Sql;

/// <summary>The request of one member of a batch by persistence id: the first <see cref="Limit"/> rows, deleted ones too, of a persistence id's range.</summary>
internal readonly record struct PageAsk(string PersistenceId, SequenceRange Range, int Limit);
