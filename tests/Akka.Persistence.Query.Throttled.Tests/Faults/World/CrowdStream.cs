using Akka.Persistence.Query.Throttled.Tests.Ways;
using Akka.Streams.Dsl;

namespace Akka.Persistence.Query.Throttled.Tests.Faults.World;

/// <summary>One live query of a crowd, and the events that it got.</summary>
internal sealed class CrowdStream
{
    private Fold _fold;
    private long _next = 1;
    private string? _wrong;

    internal CrowdStream(ThrottledReadJournal journal, CrowdQuery query, QueryWay way)
    {
        Query = query;
        Ended = query.Kind == CrowdKind.Ids
            ? ReadAsync(way.ItemsAsync(journal.PersistenceIds()), Received)
            : ReadAsync(way.ItemsAsync(SourceOf(journal)), Received);
    }

    internal CrowdQuery Query { get; }

    /// <summary>Completes if the stream ends, which is an error.</summary>
    internal Task Ended { get; }

    internal Fold Fold
    {
        get
        {
            lock (this)
                return _fold;
        }
    }

    internal long Count => Fold.Count;

    /// <summary>What is wrong with the stream; null for nothing.</summary>
    internal string? Wrong => Ended.IsCompleted ? $"{Query} ended: {Ended.Exception?.GetBaseException()}" : _wrong;

    private static async Task ReadAsync<T>(IAsyncEnumerable<T> items, Action<T> received)
    {
        await foreach (var item in items)
            received(item);
    }

    private Source<EventEnvelope, NotUsed> SourceOf(ThrottledReadJournal journal)
    {
        switch (Query.Kind)
        {
            case CrowdKind.ById:
                return journal.EventsByPersistenceId(Query.Argument, 0, long.MaxValue);
            case CrowdKind.Tag:
                return journal.EventsByTag(Query.Argument, Offset.NoOffset());
            case CrowdKind.Slices:
                var first = int.Parse(Query.Argument);
                return journal.EventsBySlices(first, first + Ledger.SlicesEach - 1, Offset.NoOffset());
            default:
                return journal.AllEvents(Offset.NoOffset());
        }
    }

    private void Received(EventEnvelope each)
    {
        lock (this)
        {
            if (!_fold.Add(((Sequence)each.Offset).Value))
                _wrong ??= $"{Query} got {each.PersistenceId}/{each.SequenceNr} out of order.";
            if (Query.Kind == CrowdKind.ById && each.SequenceNr != _next++)
                _wrong ??= $"{Query} got {each.SequenceNr} in the place of {_next - 1}.";
        }
    }

    private void Received(string id)
    {
        lock (this)
            _fold.Add(id);
    }
}
