namespace Throttled.Projections.Merging;

/// <summary>The texts of one table in one database.</summary>
/// <param name="Upsert">Inserts rows, and merges them into those that are there.</param>
/// <param name="Delete">Removes rows by their keys.</param>
internal sealed record MergeStatements(string Upsert, string Delete);
