namespace Throttled.Faults.World;

/// <summary>Current queries, one after another during a run. Each must end by itself, with all events that the ledger had at its start.</summary>
internal sealed class CurrentQueries(JournalReader reader, Ledger ledger, IReadOnlyList<string> ids)
{
    private readonly Random _random = new(11);
    private int _done;

    /// <summary>The number of queries that have ended correctly.</summary>
    internal int Done => Volatile.Read(ref _done);

    internal async Task RunAsync(CancellationToken stop)
    {
        await Task.Yield();
        while (!stop.IsCancellationRequested)
        {
            await OneAsync(new(CrowdKind.ById, ids[_random.Next(ids.Count)]));
            await OneAsync(new(CrowdKind.All));
            await OneAsync(new(CrowdKind.Tag, $"tag-{_random.Next(LedgerWriter.Tags)}"));
            await IdsAsync();
        }
    }

    private async Task OneAsync(CrowdQuery query)
    {
        var least = ledger.CountOf(query);
        var fold = new Fold();
        await foreach (var each in query.CurrentEventsOf(reader))
            Assert.True(fold.Add(each.Ordering), $"A current query, {query}, got {each.PersistenceId}/{each.SequenceNumber} again or late.");
        Assert.True(fold.Count >= least, $"A current query, {query}, ended with {fold.Count} events though {least} were there before.");
        Interlocked.Increment(ref _done);
    }

    private async Task IdsAsync()
    {
        var least = ledger.CountOf(new(CrowdKind.Ids));
        HashSet<string> found = [];
        await foreach (var id in reader.CurrentPersistenceIds())
            Assert.True(found.Add(id), $"A current query for ids got {id} again.");
        Assert.True(found.Count >= least, $"A current query for ids ended with {found.Count} though {least} were there before.");
        Interlocked.Increment(ref _done);
    }
}
