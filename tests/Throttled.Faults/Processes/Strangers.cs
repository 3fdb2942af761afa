using Throttled.Journal;
using Throttled.Testing;

namespace Throttled.Faults.Processes;

/// <summary>Events that are written beside a run's own writers, in numbered transactions of which everybody knows what is in them.</summary>
internal static class Strangers
{
    private const int Each = 4;

    internal static IReadOnlyList<string> Ids { get; } = TestEvents.Ids("stranger", 10);

    /// <summary>A transaction's events, with 2 KB each.</summary>
    /// <param name="number">From 1.</param>
    internal static JournalEvent[] Transaction(int number) =>
        [.. TestEvents.OfEach(Ids, ((number - 1) * Each) + 1, Each).Select(each => new JournalEvent
        {
            PersistenceId = each.PersistenceId,
            SequenceNumber = each.SequenceNumber,
            Payload = new byte[2048],
            SerializerId = 4,
            Tags = [$"tag-{number % LedgerWriter.Tags}"],
        })];

    /// <summary>How many of them were committed; each must have been whole or not at all.</summary>
    internal static async Task<int> CountAsync(ILedgerJournal journal)
    {
        await using var connection = await journal.ConnectAsync();
        var events = await connection.ScalarAsync<long>("SELECT count(*) FROM journal WHERE persistence_id LIKE 'stranger-%'");
        Assert.Equal(0, events % (Ids.Count * Each));
        return (int)events / (Ids.Count * Each);
    }

    /// <summary>Tells the ledger of those that were committed.</summary>
    /// <returns>How many.</returns>
    internal static async Task<int> TellAsync(Ledger ledger, ILedgerJournal journal)
    {
        var count = await CountAsync(journal);
        for (var number = 1; number <= count; number++)
            ledger.Committed(Transaction(number));
        return count;
    }
}
