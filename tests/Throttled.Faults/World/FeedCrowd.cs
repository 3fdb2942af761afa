namespace Throttled.Faults.World;

/// <summary>Very many live queries of all kinds over one journal. No event may be lost, doubled or out of order, and no query may end.</summary>
internal sealed class FeedCrowd : IAsyncDisposable
{
    private readonly CancellationTokenSource _stop = new();
    private readonly CrowdFeed[] _feeds;

    internal FeedCrowd(JournalReader reader, IEnumerable<CrowdQuery> queries, ShardMap? map = null) =>
        _feeds = [.. queries.Select(query => new CrowdFeed(reader, query, map ?? ShardMap.Even(1), _stop.Token))];

    internal int Size => _feeds.Length;

    internal long Events => _feeds.Sum(each => each.Count);

    /// <summary>The number of delivered events of a shard.</summary>
    internal long EventsOf(int shard) => _feeds.Sum(each => each.FoldOf(shard).Count);

    internal int Doubled => _feeds.Sum(each => each.Doubled);

    /// <summary>The number of queries that have ended, which is an error.</summary>
    internal int Failed => _feeds.Count(each => each.Ended.IsCompleted);

    /// <summary>The number of events that queries are missing.</summary>
    /// <param name="folds">The expected events of each query.</param>
    internal long Lost(Dictionary<CrowdQuery, Fold> folds) =>
        _feeds.Sum(each => Math.Max(0, folds.GetValueOrDefault(each.Query).Count - (each.Count - each.Doubled)));

    /// <summary>Waits until each query got all committed events; it must have got exactly these.</summary>
    internal Task UntilAsync(Dictionary<CrowdQuery, Fold> folds, TimeSpan maxWait) => UntilAsync(0, folds, maxWait);

    /// <summary>Waits in the same way for the events of one shard, regardless of the others.</summary>
    internal async Task UntilAsync(int shard, Dictionary<CrowdQuery, Fold> folds, TimeSpan maxWait)
    {
        var done = 0;
        await Wait.UntilAsync(
            () =>
            {
                while (done < Size && _feeds[done].FoldOf(shard).Count >= folds.GetValueOrDefault(_feeds[done].Query).Count)
                    done++;
                return done == Size || _feeds[done].Wrong is not null;
            },
            () => $"{folds.GetValueOrDefault(_feeds[done].Query)} for {_feeds[done].Query}; there are {_feeds[done].FoldOf(shard)}",
            maxWait);
        Check();
        foreach (var each in _feeds)
            Assert.True(each.FoldOf(shard).IsEqual(folds.GetValueOrDefault(each.Query)), $"{each.Query} got {each.FoldOf(shard)} and should have {folds.GetValueOrDefault(each.Query)}.");
    }

    /// <summary>Waits until all queries together got the given number of events.</summary>
    internal async Task UntilAsync(long events, TimeSpan maxWait)
    {
        await Wait.UntilAsync(() => Events >= events || Failed > 0, () => $"{events} events for the crowd; there are {Events}", maxWait);
        Check();
    }

    /// <summary>Asserts that no query has ended, and that none has got a wrong event.</summary>
    internal void Check() => Assert.Null(_feeds.Select(each => each.Wrong).FirstOrDefault(wrong => wrong is not null));

    public async ValueTask DisposeAsync()
    {
        await _stop.CancelAsync();
        await Task.WhenAll(_feeds.Select(each => each.Ended)).ContinueWith(_ => { }, TaskScheduler.Default).WithinAsync("the end of a cancelled crowd");
    }
}
