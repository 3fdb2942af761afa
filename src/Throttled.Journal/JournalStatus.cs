using Throttled.Journal.Database;

namespace Throttled.Journal;

/// <summary>Reads the highest orderings of a journal.</summary>
internal static class JournalStatus
{
    /// <returns>The highest ordering of an existing row; 0 in an empty journal.</returns>
    internal static async Task<long> EndAsync(IJournalDatabase database, CancellationToken cancellation) =>
        (await database.ReadStartAsync(cancellation).ConfigureAwait(false)).Last?.Ordering ?? 0;

    /// <returns>The highest ordering that was ever issued, also of deleted rows; null if the database does not report it.</returns>
    internal static async Task<long?> LastIssuedAsync(IJournalDatabase database, CancellationToken cancellation)
    {
        try
        {
            // A poll from a position without a row also reads the last issued ordering.
            var result = await database.ReadKeysAsync(new(long.MaxValue, [], 1), cancellation).ConfigureAwait(false);
            // The journal may be a copy whose sequence was not copied: its rows have higher orderings than the sequence. The end is read second,
            // because writers continue.
            return result.LastIssued is { } last ? Math.Max(last, await EndAsync(database, cancellation).ConfigureAwait(false)) : null;
        }
        catch (Exception error) when (database.Classify(error) == FaultKind.Fatal)
        {
            return null;
        }
    }
}
