namespace Throttled.Faults.World;

/// <summary>One live query of a crowd, and the events that it got.</summary>
internal sealed class CrowdFeed
{
    private readonly Lock _lock = new();
    private readonly ShardMap _map;
    private readonly Fold[] _folds;
    private long _next = 1;
    private int _doubled;
    private string? _wrong;

    /// <param name="reader">The reader of the query.</param>
    /// <param name="query">The query.</param>
    /// <param name="map">The shards; each has its own order.</param>
    /// <param name="stop">Ends the query.</param>
    internal CrowdFeed(JournalReader reader, CrowdQuery query, ShardMap map, CancellationToken stop)
    {
        (Query, _map, _folds) = (query, map, new Fold[map.Count]);
        Ended = query.Kind == CrowdKind.Ids
            ? ReadAsync(reader.PersistenceIds(), Received, stop)
            : ReadAsync(query.EventsOf(reader), Received, stop);
    }

    internal CrowdQuery Query { get; }

    /// <summary>Completes when the query ends, which is an error before it is stopped.</summary>
    internal Task Ended { get; }

    internal long Count
    {
        get
        {
            lock (_lock)
                return _folds.Sum(fold => fold.Count);
        }
    }

    /// <summary>The number of events that came again, or after later ones.</summary>
    internal int Doubled => Volatile.Read(ref _doubled);

    /// <summary>What is wrong with the query; null for nothing.</summary>
    internal string? Wrong => Ended.IsCompleted ? $"{Query} ended: {Ended.Exception?.GetBaseException()}" : _wrong;

    /// <summary>The events of a shard that it got.</summary>
    internal Fold FoldOf(int shard)
    {
        lock (_lock)
            return _folds[shard];
    }

    private static async Task ReadAsync<T>(IAsyncEnumerable<T> query, Action<T> received, CancellationToken stop)
    {
        await Task.Yield();
        await foreach (var each in query.WithCancellation(stop))
            received(each);
    }

    private void Received(JournalEvent each)
    {
        lock (_lock)
        {
            if (!_folds[_map.ShardOf(each.PersistenceId)].Add(each.Ordering))
                Double($"{Query} got {each.PersistenceId}/{each.SequenceNumber} again or late.");
            if (Query.Kind == CrowdKind.ById && each.SequenceNumber != _next++)
                _wrong ??= $"{Query} got {each.SequenceNumber} in the place of {_next - 1}.";
        }
    }

    private void Received(string id)
    {
        lock (_lock)
            _folds[_map.ShardOf(id)].Add(id);
    }

    private void Double(string what)
    {
        _doubled++;
        _wrong ??= what;
    }
}
