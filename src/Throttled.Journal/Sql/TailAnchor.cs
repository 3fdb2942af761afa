namespace Throttled.Journal.Sql;

/// <summary>Where the tail starts.</summary>
/// <param name="Last">The key of the row with the highest ordering; null in an empty journal.</param>
/// <param name="Holders">
/// The open transactions that may still commit an ordering at or below it, collected after it was read; null where
/// the database cannot say; empty where there are none.
/// </param>
internal sealed record TailAnchor(JournalKey? Last, IReadOnlySet<string>? Holders)
{
    /// <inheritdoc cref="ServerFacts.OrderRefusal"/>
    internal string? OrderRefusal { get; init; }
}
