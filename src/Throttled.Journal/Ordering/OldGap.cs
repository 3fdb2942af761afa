using Throttled.Journal.Sql;

namespace Throttled.Journal.Ordering;

/// <summary>A gap that is still open.</summary>
/// <param name="Range">The orderings that are missing.</param>
/// <param name="Since">Since when.</param>
/// <param name="Holders">The transactions that may still commit them; null where the database cannot say.</param>
internal sealed record OldGap(OrderingRange Range, TimeSpan Since, IReadOnlySet<string>? Holders);
