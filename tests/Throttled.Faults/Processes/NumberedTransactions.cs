namespace Throttled.Faults.Processes;

/// <summary>Events that are written beside the writers of a run, in numbered transactions with known events.</summary>
internal static class NumberedTransactions
{
    private const int Each = 4;

    internal static IReadOnlyList<string> Ids { get; } = TestEvents.Ids("stranger", 10);

    /// <summary>The events of a transaction, with 2 KB each.</summary>
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

    /// <summary>The number of committed transactions; each must be complete or absent.</summary>
    internal static async Task<int> CountAsync(ILedgerJournal journal)
    {
        await using var connection = await journal.ConnectAsync();
        var events = await connection.ScalarAsync<long>("SELECT count(*) FROM journal WHERE persistence_id LIKE 'stranger-%'");
        Assert.Equal(0, events % (Ids.Count * Each));
        return (int)events / (Ids.Count * Each);
    }

    /// <summary>Adds the committed transactions to the ledger.</summary>
    /// <returns>The number of them.</returns>
    internal static async Task<int> AddToLedgerAsync(Ledger ledger, ILedgerJournal journal)
    {
        var count = await CountAsync(journal);
        for (var number = 1; number <= count; number++)
            ledger.Committed(Transaction(number));
        return count;
    }
}
