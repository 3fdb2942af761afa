using Throttled.Journal;
using Throttled.Testing;

namespace Throttled.Faults.World;

/// <summary>Very many live queries of all kinds over one journal, divided among shards or not. Nothing may be lost, doubled or out of order, and none may end.</summary>
internal sealed class FeedCrowd : IAsyncDisposable
{
    private readonly CancellationTokenSource _stop = new();
    private readonly CrowdFeed[] _feeds;

    internal FeedCrowd(JournalReader reader, IEnumerable<CrowdQuery> queries, ShardMap? map = null) =>
        _feeds = [.. queries.Select(query => new CrowdFeed(reader, query, map ?? ShardMap.Even(1), _stop.Token))];

    internal int Size => _feeds.Length;

    internal long Events => _feeds.Sum(each => each.Count);

    /// <summary>Events of a shard that they got.</summary>
    internal long EventsOf(int shard) => _feeds.Sum(each => each.FoldOf(shard).Count);

    internal int Doubled => _feeds.Sum(each => each.Doubled);

    /// <summary>Queries that have ended, which none should.</summary>
    internal int Failed => _feeds.Count(each => each.Ended.IsCompleted);

    /// <summary>Events that queries should have got and did not.</summary>
    /// <param name="folds">What each should have got.</param>
    internal long Lost(Dictionary<CrowdQuery, Fold> folds) =>
        _feeds.Sum(each => Math.Max(0, folds.GetValueOrDefault(each.Query).Count - (each.Count - each.Doubled)));

    /// <summary>Waits until each query got all that was committed; it must have got just that.</summary>
    internal Task UntilAsync(Dictionary<CrowdQuery, Fold> folds, TimeSpan patience) => UntilAsync(0, folds, patience);

    /// <summary>The same of one shard, whatever they got of the others.</summary>
    internal async Task UntilAsync(int shard, Dictionary<CrowdQuery, Fold> folds, TimeSpan patience)
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
            patience);
        Check();
        foreach (var each in _feeds)
            Assert.True(each.FoldOf(shard).IsEqual(folds.GetValueOrDefault(each.Query)), $"{each.Query} got {each.FoldOf(shard)} and should have {folds.GetValueOrDefault(each.Query)}.");
    }

    /// <summary>Waits until they got so many events in all.</summary>
    internal async Task UntilAsync(long events, TimeSpan patience)
    {
        await Wait.UntilAsync(() => Events >= events || Failed > 0, () => $"{events} events for the crowd; there are {Events}", patience);
        Check();
    }

    /// <summary>None has ended, and none has got what it should not.</summary>
    internal void Check() => Assert.Null(_feeds.Select(each => each.Wrong).FirstOrDefault(wrong => wrong is not null));

    public async ValueTask DisposeAsync()
    {
        await _stop.CancelAsync();
        await Task.WhenAll(_feeds.Select(each => each.Ended)).ContinueWith(_ => { }, TaskScheduler.Default).WithinAsync("the end of a cancelled crowd");
    }
}
