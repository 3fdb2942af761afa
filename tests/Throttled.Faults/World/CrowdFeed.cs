using Throttled.Journal.Contract;

namespace Throttled.Faults.World;

/// <summary>One live query of a crowd, and what it got.</summary>
internal sealed class CrowdFeed
{
    private readonly Lock _lock = new();
    private Fold _fold;
    private long _next = 1;
    private int _doubled;
    private string? _wrong;

    internal CrowdFeed(JournalReader reader, CrowdQuery query, CancellationToken stop)
    {
        Query = query;
        Ended = query.Kind == CrowdKind.Ids
            ? ReadAsync(reader.PersistenceIds(), Received, stop)
            : ReadAsync(query.EventsOf(reader), Received, stop);
    }

    internal CrowdQuery Query { get; }

    /// <summary>Ends with the query, which it should not before it is stopped.</summary>
    internal Task Ended { get; }

    internal Fold Fold
    {
        get
        {
            lock (_lock)
                return _fold;
        }
    }

    internal long Count => Fold.Count;

    /// <summary>Events that came again, or behind later ones.</summary>
    internal int Doubled => Volatile.Read(ref _doubled);

    /// <summary>Why it is not as it should be; null where it is.</summary>
    internal string? Wrong => Ended.IsCompleted ? $"{Query} ended: {Ended.Exception?.GetBaseException()}" : _wrong;

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
            if (!_fold.Add(each.Ordering))
                Double($"{Query} got {each.PersistenceId}/{each.SequenceNumber} again or late.");
            if (Query.Kind == CrowdKind.ById && each.SequenceNumber != _next++)
                _wrong ??= $"{Query} got {each.SequenceNumber} in the place of {_next - 1}.";
        }
    }

    private void Received(string id)
    {
        lock (_lock)
            _fold.Add(id);
    }

    private void Double(string what)
    {
        _doubled++;
        _wrong ??= what;
    }
}
