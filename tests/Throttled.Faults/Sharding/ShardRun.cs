namespace Throttled.Faults.Sharding;

/// <summary>Queries of all kinds over three shards; one is unavailable for a while.</summary>
internal sealed class ShardRun : IAsyncDisposable
{
    /// <summary>The number of the unavailable shard.</summary>
    internal const int Unavailable = 1;

    private static readonly string[] Ids = [.. Enumerable.Range(0, 60).Select(i => $"p-{i * 97}")];

    private readonly ShardedUnderTest _journal;
    private readonly JournalReader _reader;
    private readonly ShardCrowd _crowd;

    private ShardRun(ShardedUnderTest journal, int queries)
    {
        (_journal, _reader) = (journal, journal.OpenReader());
        _crowd = new(journal, _reader, Ids, queries);
    }

    internal static ShardMap Three { get; } = ShardMap.Even(3);

    internal static JournalEvent[] Before { get; } = EventsFrom(1);

    internal static JournalEvent[] Meanwhile { get; } = EventsFrom(3);

    internal static JournalEvent[] After { get; } = EventsFrom(5);

    /// <summary>The events that are written during the outage to the available shards.</summary>
    internal static JournalEvent[] MeanwhileElsewhere { get; } = [.. Meanwhile.Where(each => Three.ShardOf(each.PersistenceId) != Unavailable)];

    /// <summary>Writes the first events, opens the queries, and waits until they have these events.</summary>
    internal static async Task<ShardRun> StartAsync(ShardedUnderTest journal, int queries)
    {
        await journal.AppendAsync(Before);
        var run = new ShardRun(journal, queries);
        await run._crowd.UntilAsync(Before);
        return run;
    }

    internal Task UntilUnavailableAsync() => Wait.UntilAsync(
        async () => (await _reader.CheckHealthAsync(CancellationToken.None))[Unavailable].UnreadableReason is not null, () => "an unavailable shard");

    /// <summary>Asserts that open queries get new events, and new queries existing ones, except those of the unavailable shard.</summary>
    internal async Task GoesOnAsync()
    {
        await _crowd.UntilAsync([.. Before, .. MeanwhileElsewhere]);
        JournalEvent[] others = [.. Before.Except(_journal.In(Unavailable, Before)), .. MeanwhileElsewhere];
        await using (var late = LiveReading.Of(_reader.AllEvents()))
            _journal.AreExactly(await late.UntilAsync(others.Length), others);
        Assert.Equal([1, 2, 3, 4], (await _reader.CurrentEventsByPersistenceId(others[0].PersistenceId).AllAsync()).Numbers());
        Assert.Equal([true, false, true], (await _reader.CheckHealthAsync(CancellationToken.None)).Select(each => each.UnreadableReason is null));
    }

    /// <summary>Asserts after all writes that no query has ended, and that each has exactly its events.</summary>
    internal Task EndAsync() => _crowd.UntilAsync([.. Before, .. Meanwhile, .. After]);

    public async ValueTask DisposeAsync()
    {
        await _crowd.DisposeAsync();
        await _reader.DisposeAsync();
    }

    private static JournalEvent[] EventsFrom(long sequenceNumber) =>
        [.. TestEvents.OfEach(Ids, sequenceNumber, 2).Select((each, i) => i % 3 == 0 ? each.With(ShardCrowd.Tag) : each)];
}
