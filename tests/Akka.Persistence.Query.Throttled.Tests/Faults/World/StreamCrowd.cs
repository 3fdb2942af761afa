namespace Akka.Persistence.Query.Throttled.Tests.Faults.World;

/// <summary>
/// Very many live queries of all kinds over one journal, in turn as streams and as subscriptions. No event may be lost, doubled or out of order, and none may end.
/// </summary>
internal sealed class StreamCrowd
{
    private readonly CrowdStream[] _streams;

    internal StreamCrowd(ReadSide side, IEnumerable<CrowdQuery> queries) =>
        _streams = [.. queries.Select((query, i) => new CrowdStream(side.Journal, query, side.Ways[i % side.Ways.Count]))];

    internal int Size => _streams.Length;

    internal long Events => _streams.Sum(each => each.Count);

    /// <summary>Waits until each stream got all committed events; it must have got exactly these.</summary>
    internal async Task UntilAsync(Dictionary<CrowdQuery, Fold> folds)
    {
        var done = 0;
        await Wait.UntilAsync(
            () =>
            {
                while (done < Size && _streams[done].Count >= folds.GetValueOrDefault(_streams[done].Query).Count)
                    done++;
                return done == Size || _streams[done].Wrong is not null;
            },
            () => $"{folds.GetValueOrDefault(_streams[done].Query)} for {_streams[done].Query}; there are {_streams[done].Fold}");
        Check();
        foreach (var each in _streams)
            Assert.True(each.Fold.IsEqual(folds.GetValueOrDefault(each.Query)), $"{each.Query} got {each.Fold} and should have {folds.GetValueOrDefault(each.Query)}.");
    }

    /// <summary>Waits until all streams together got the given number of events.</summary>
    internal async Task UntilAsync(long events)
    {
        await Wait.UntilAsync(() => Events >= events, () => $"{events} events for the crowd; there are {Events}");
        Check();
    }

    /// <summary>No stream has ended, and none has got a wrong event.</summary>
    internal void Check() => Assert.Null(_streams.Select(each => each.Wrong).FirstOrDefault(wrong => wrong is not null));
}
