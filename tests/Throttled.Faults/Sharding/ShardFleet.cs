using Throttled.Journal;
using Throttled.Testing;

namespace Throttled.Faults.Sharding;

/// <summary>The databases of one journal, any of which can be taken away and brought back.</summary>
internal abstract class ShardFleet : IAsyncDisposable
{
    /// <summary>The database's name in the table.</summary>
    internal abstract string Database { get; }

    /// <summary>In the order of the shards.</summary>
    internal List<JournalUnderTest> Journals { get; } = [];

    internal ShardMap Map => ShardMap.Even(Journals.Count);

    internal JournalReader OpenReader(JournalOptions options) =>
        ShardedJournal.OpenReader(Journals, static (journal, given) => journal.OpenReader(given), options);

    internal JournalAppender OpenAppender() => ShardedJournal.OpenAppender(Journals, (journal, _) => OpenAppender(journal));

    /// <summary>Writes down beside each journal which shard it is.</summary>
    internal async Task StampAsync()
    {
        await using var appender = OpenAppender();
        await appender.CreateAsync();
    }

    internal abstract Task TakeAwayAsync(int shard);

    internal abstract Task BringBackAsync(int shard);

    public virtual async ValueTask DisposeAsync()
    {
        foreach (var journal in Journals)
            await journal.DisposeAsync();
    }

    protected abstract JournalAppender OpenAppender(JournalUnderTest journal);
}
