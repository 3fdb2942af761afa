namespace Throttled.Faults.Sharding;

/// <summary>Live queries of all kinds over a sharded journal. None may end, and each must get exactly its events, those of a shard in order.</summary>
internal sealed class ShardCrowd : IAsyncDisposable
{
    internal const string Tag = "red";

    private readonly List<(Func<JournalEvent, bool> Wants, LiveReading<JournalEvent> Reading)> _queries = [];
    private readonly ShardedUnderTest _journal;

    /// <param name="journal">The journal.</param>
    /// <param name="reader">Its reader.</param>
    /// <param name="ids">The persistence ids.</param>
    /// <param name="queries">The number of queries; one in five merges all shards.</param>
    internal ShardCrowd(ShardedUnderTest journal, JournalReader reader, string[] ids, int queries)
    {
        _journal = journal;
        for (var i = 0; i < queries; i++)
            Add(reader, i, ids[i % ids.Length]);
    }

    /// <summary>Waits until each query has those of the given events that it must get.</summary>
    internal async Task UntilAsync(IReadOnlyCollection<JournalEvent> events)
    {
        foreach (var (wants, reading) in _queries)
        {
            var expected = events.Where(wants).ToList();
            _journal.AreExactly(await reading.UntilAsync(expected.Count), expected);
        }
        Assert.DoesNotContain(_queries, query => query.Reading.Ended.IsCompleted);
    }

    public async ValueTask DisposeAsync()
    {
        foreach (var (_, reading) in _queries)
            reading.Stop();
        foreach (var (_, reading) in _queries)
            await reading.DisposeAsync();
    }

    private void Add(JournalReader reader, int which, string id)
    {
        switch (which % 15)
        {
            case 0:
                Add(reader.AllEvents(), _ => true);
                break;
            case 5:
                Add(reader.EventsByTag(Tag), each => each.Tags.Contains(Tag));
                break;
            case 10:
                Add(reader.EventsBySlices(100, 900), each => JournalSlices.Of(each.PersistenceId) is >= 100 and <= 900);
                break;
            default:
                Add(reader.EventsByPersistenceId(id), each => each.PersistenceId == id);
                break;
        }
    }

    private void Add(IAsyncEnumerable<JournalEvent> query, Func<JournalEvent, bool> wants) => _queries.Add((wants, LiveReading.Of(query)));
}
