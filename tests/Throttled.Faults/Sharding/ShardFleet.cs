namespace Throttled.Faults.Sharding;

/// <summary>The databases of one journal. Each can be made unavailable and available again.</summary>
internal abstract class ShardFleet : IAsyncDisposable
{
    /// <summary>The name of the database in the table.</summary>
    internal abstract string Database { get; }

    /// <summary>The journals, in the order of the shards.</summary>
    internal List<JournalUnderTest> Journals { get; } = [];

    internal ShardMap Map => ShardMap.Even(Journals.Count);

    internal JournalReader OpenReader(JournalOptions options) =>
        ShardedJournal.OpenReader(Journals, static (journal, given) => journal.OpenReader(given), options);

    internal JournalAppender OpenAppender() => ShardedJournal.OpenAppender(Journals, (journal, _) => OpenAppender(journal));

    /// <summary>Writes the mark of its shard beside each journal.</summary>
    internal async Task MarkAsync()
    {
        await using var appender = OpenAppender();
        await appender.CreateAsync();
    }

    internal abstract Task TakeDownAsync(int shard);

    internal abstract Task BringUpAsync(int shard);

    public virtual async ValueTask DisposeAsync()
    {
        foreach (var journal in Journals)
            await journal.DisposeAsync();
    }

    protected abstract JournalAppender OpenAppender(JournalUnderTest journal);
}
