using Throttled.Journal.Pages;
using Throttled.Journal.Rows;

namespace Throttled.Journal.Tail;

/// <summary>A query that follows the tail, and its neighbours among those of the same key.</summary>
internal interface IFollower<T>
    where T : class
{
    /// <summary>What it follows.</summary>
    string Key { get; }

    /// <summary>The next neighbour; the index's own.</summary>
    T? Next { get; set; }

    /// <summary>The neighbour before it; the index's own.</summary>
    T? Previous { get; set; }

    /// <summary>Whether it is on the list of those who are notified when the rows of a round are there; the round's own.</summary>
    bool IsInRound { get; set; }

    /// <summary>All rows of the round that could be had were offered.</summary>
    void RoundEnded();

    /// <summary>Ends the query; with a failure where there is one.</summary>
    void End(Exception? failure);
}

/// <summary>A query by persistence id.</summary>
internal interface IByIdFollower : IFollower<IByIdFollower>
{
    /// <summary>
    /// The tail observed a key of this persistence id, later than all that it reported before or filling a gap.
    /// </summary>
    /// <returns>Whether the query wants the row.</returns>
    bool Observe(long sequenceNumber);

    /// <summary>The tail has a row of this persistence id, in the order of their sequence numbers. Rows that do not fit are missed.</summary>
    void Offer(JournalEvent row);

    /// <summary>Another server answers: that its last event was seen on the one before does not say that this one has it.</summary>
    void ForgetEnd();

    /// <summary>Whatever it was following, it may have missed something: it reads a page.</summary>
    void ReadAgain();
}

/// <summary>A query in journal order.</summary>
internal interface IOrderedFollower : IFollower<IOrderedFollower>
{
    EventFilter Filter { get; }

    /// <summary>Everything wanted up to this ordering is with the reader, or has arrived. While the beginning is searched, it is below this.</summary>
    long Position { get; }

    /// <summary>Whether it has yet to learn where it ends.</summary>
    bool WantsEnd { get; }

    /// <summary>Its request for pages.</summary>
    PageRequest Request { get; }

    /// <summary>The tail has a row that the high-water mark has passed, in the order of the journal.</summary>
    /// <param name="row">The row.</param>
    /// <param name="slice">Its slice.</param>
    /// <returns>Whether the query took it.</returns>
    bool Offer(JournalEvent row, int slice);

    /// <summary>The high-water mark has moved, or become known.</summary>
    void HighWaterMarkMoved();

    /// <summary>Where the journal ended at a poll that began after the query.</summary>
    void SetEnd(long end);

    /// <summary>It may miss rows from now on: it reads pages again.</summary>
    void Lag();

    /// <summary>What it may have read above an ordering is not there any more, and others are to come in its place.</summary>
    void RewindTo(long to);
}

/// <summary>A query for persistence ids.</summary>
internal interface IIdsFollower
{
    /// <summary>There are more ids in the list.</summary>
    void NotifyOfIds();

    /// <inheritdoc cref="IFollower{T}.End"/>
    void End(Exception? failure);
}
