namespace Throttled.Journal.Sql;

/// <summary>Orderings of the journal, both ends included.</summary>
internal readonly record struct OrderingRange(long First, long Last);
