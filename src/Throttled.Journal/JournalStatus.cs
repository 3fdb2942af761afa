using Throttled.Journal.Database;
using Throttled.Journal.Rows;

namespace Throttled.Journal;

/// <summary>How far a journal's numbers have come.</summary>
internal static class JournalStatus
{
    /// <returns>The highest ordering that is there; 0 in an empty journal.</returns>
    internal static async Task<long> EndAsync(IJournalDatabase database, CancellationToken cancellation) =>
        (await database.ReadStartAsync(cancellation).ConfigureAwait(false)).Last?.Ordering ?? 0;

    /// <returns>The highest ordering that was ever issued, the deleted ones with it; null where the database cannot tell.</returns>
    internal static async Task<long?> LastIssuedAsync(IJournalDatabase database, CancellationToken cancellation)
    {
        try
        {
            // Where no row can be, the poll reports the last ordering that was issued.
            var result = await database.ReadKeysAsync(new(long.MaxValue, [], 1), cancellation).ConfigureAwait(false);
            // A copy without its sequence has numbers that this one did not issue. Read later, because writers go on.
            return result.LastIssued is { } last ? Math.Max(last, await EndAsync(database, cancellation).ConfigureAwait(false)) : null;
        }
        catch (Exception error) when (database.Classify(error) == FaultKind.Fatal)
        {
            return null;
        }
    }
}
