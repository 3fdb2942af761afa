namespace Throttled.Journal.Sql;

/// <summary>One member of a page statement: the first <see cref="Limit"/> rows, deleted ones too, of a persistence id's range.</summary>
internal readonly record struct PageAsk(string PersistenceId, SequenceRange Range, int Limit);
