using Throttled.Journal;
using Throttled.Testing;

namespace Throttled.Faults.World;

/// <summary>One live query of a crowd, and what it got.</summary>
internal sealed class CrowdFeed
{
    private readonly Lock _lock = new();
    private readonly ShardMap _map;
    private readonly Fold[] _folds;
    private long _next = 1;
    private int _doubled;
    private string? _wrong;

    /// <param name="reader">Whose query it is.</param>
    /// <param name="query">Which.</param>
    /// <param name="map">The shards, each of which has an order of its own.</param>
    /// <param name="stop">Ends it.</param>
    internal CrowdFeed(JournalReader reader, CrowdQuery query, ShardMap map, CancellationToken stop)
    {
        (Query, _map, _folds) = (query, map, new Fold[map.Count]);
        Ended = query.Kind == CrowdKind.Ids
            ? ReadAsync(reader.PersistenceIds(), Received, stop)
            : ReadAsync(query.EventsOf(reader), Received, stop);
    }

    internal CrowdQuery Query { get; }

    /// <summary>Ends with the query, which it should not before it is stopped.</summary>
    internal Task Ended { get; }

    internal long Count
    {
        get
        {
            lock (_lock)
                return _folds.Sum(fold => fold.Count);
        }
    }

    /// <summary>Events that came again, or behind later ones.</summary>
    internal int Doubled => Volatile.Read(ref _doubled);

    /// <summary>Why it is not as it should be; null where it is.</summary>
    internal string? Wrong => Ended.IsCompleted ? $"{Query} ended: {Ended.Exception?.GetBaseException()}" : _wrong;

    /// <summary>What it got of a shard.</summary>
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
