using Throttled.Journal.Pages;
using Throttled.Journal.Rows;

namespace Throttled.Journal.Tail;

/// <summary>A query that follows the tail, with its links to other queries with the same key.</summary>
internal interface IFollower<T>
    where T : class
{
    string Key { get; }

    /// <summary>The next query with this key; only the index sets it.</summary>
    T? Next { get; set; }

    /// <summary>The previous query with this key; only the index sets it.</summary>
    T? Previous { get; set; }

    /// <summary>Whether the query is notified at the end of this round; only the round sets it.</summary>
    bool IsInRound { get; set; }

    /// <summary>Called after all available rows of the round were offered.</summary>
    void RoundEnded();

    /// <summary>Ends the query, with a failure if it is not null.</summary>
    void End(Exception? failure);
}

internal interface IByIdFollower : IFollower<IByIdFollower>
{
    /// <summary>Called when the tail read a new key of this persistence id: above all earlier keys, or in a gap.</summary>
    /// <returns>Whether the query wants the row.</returns>
    bool Observe(long sequenceNumber);

    /// <summary>Called with a row of this persistence id, in the order of sequence numbers. A query without room misses the row.</summary>
    void Offer(JournalEvent row);

    /// <summary>Called when another server answers. The last event of the query was seen on the previous server; the new one may not have it.</summary>
    void ForgetEnd();

    /// <summary>Called when the query may have missed events; it reads a page.</summary>
    void ReadAgain();
}

internal interface IOrderedFollower : IFollower<IOrderedFollower>
{
    EventFilter Filter { get; }

    /// <summary>The query has received all wanted events up to this ordering. While a query of the last n events searches backwards, its first event is below.</summary>
    long Position { get; }

    bool WantsEnd { get; }

    PageRequest Request { get; }

    /// <summary>Called with each row that the high-water mark has passed, in the order of the journal.</summary>
    /// <returns>Whether the query took it.</returns>
    bool Offer(JournalEvent row, int slice);

    /// <summary>Called when the high-water mark has moved or become known.</summary>
    void HighWaterMarkMoved();

    /// <summary>Sets the journal end, read by a poll that began after the query.</summary>
    void SetEnd(long end);

    /// <summary>Called when the query may miss rows; it reads pages again.</summary>
    void Lag();

    /// <summary>Called when the rows above an ordering do not exist any more and others take their place.</summary>
    void RewindTo(long to);
}

internal interface IIdsFollower
{
    void NotifyOfIds();

    /// <inheritdoc cref="IFollower{T}.End"/>
    void End(Exception? failure);
}
