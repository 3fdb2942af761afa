namespace Throttled.Journal.Rows;

/// <summary>
/// The rows of one statement that reads a page for each of several members. The database adds rows as they arrive, member by member, until there are
/// no more or <see cref="Add"/> returns false. Used by one thread at a time.
/// </summary>
internal sealed class ByIdRows(IReadOnlyList<ByIdRequest> requests, int maxRows, ByteBudget budget) : BatchRows
{
    private readonly ByIdResult?[] _pages = new ByIdResult?[requests.Count];
    private readonly InFlightBytes _bytes = new(budget);
    private readonly PageBuilder<JournalEvent> _events = new();
    private int _memberRows;
    private long? _memberLastRow;
    private long _highest = long.MinValue;

    internal IReadOnlyList<ByIdRequest> Requests => requests;

    /// <summary>The most rows to read; the database may also stop there by itself.</summary>
    internal int MaxRows => maxRows;

    /// <summary>Rows added, including deleted rows.</summary>
    internal int Rows { get; private set; }

    /// <summary>Members that have a page, even an empty one.</summary>
    internal int MembersReached { get; private set; }

    /// <summary>Whether <see cref="Add"/> or <see cref="AddDeleted"/> returned false.</summary>
    internal bool IsStopped { get; private set; }

    /// <summary>The result of each member; null for members that were not reached.</summary>
    internal IReadOnlyList<ByIdResult?> Pages => _pages;

    /// <summary>The events added so far at or above an ordering; their tags are read next.</summary>
    internal List<JournalEvent> EventsFrom(long ordering)
    {
        List<JournalEvent> events = [];
        if (_highest < ordering)
            return events;
        for (var member = 0; member < MembersReached; member++)
        {
            for (var i = 0; _pages[member]?.Page is { } page && i < page.Count; i++)
                AddFrom(ordering, page[i]!, events);
        }
        for (var i = 0; i < _events.Count; i++)
            AddFrom(ordering, _events[i], events);
        return events;
    }

    /// <returns>False when the limit of rows or bytes is reached.</returns>
    /// <exception cref="InvalidOperationException">The row belongs to an earlier member than the last row, or is not above the last row.</exception>
    internal bool Add(int member, JournalEvent row)
    {
        Enter(member, row.SequenceNumber);
        _events.Add(row, row.Bytes);
        _highest = Math.Max(_highest, row.Ordering);
        return GoOn(_bytes.Add(row.Bytes));
    }

    /// <summary>Adds a deleted row. It is no event, but the range counts as read up to it.</summary>
    internal bool AddDeleted(int member, long sequenceNumber)
    {
        Enter(member, sequenceNumber);
        return GoOn(hasRoom: true);
    }

    /// <summary>Makes pages of the rows. Members that were not reached have no page.</summary>
    internal override void Complete()
    {
        _bytes.Complete();
        var cut = IsStopped || Rows >= maxRows;
        if (!cut)
        {
            while (MembersReached < requests.Count)
                CloseMember(isTruncated: false);
        }
        else if (_memberRows > 0)
            CloseMember(isTruncated: true);
        _events.Release();
    }

    internal override void Discard()
    {
        _bytes.Discard();
        _events.Release();
    }

    internal override void Drop(int member) => budget.Release(_pages[member]?.Page?.Bytes ?? 0);

    private static void AddFrom(long ordering, JournalEvent row, List<JournalEvent> events)
    {
        if (row.Ordering >= ordering)
            events.Add(row);
    }

    private void Enter(int member, long sequenceNumber)
    {
        if (member < MembersReached || (member == MembersReached && sequenceNumber <= _memberLastRow))
            throw new InvalidOperationException("The rows of a shared statement arrived out of order.");
        while (MembersReached < member)
            CloseMember(isTruncated: false);
        _memberLastRow = sequenceNumber;
        _memberRows++;
        Rows++;
    }

    private bool GoOn(bool hasRoom)
    {
        IsStopped = Rows >= maxRows || !hasRoom;
        return !IsStopped;
    }

    private void CloseMember(bool isTruncated)
    {
        _pages[MembersReached] = new(_events.Take(), _memberLastRow, isTruncated || _memberRows >= requests[MembersReached].Limit);
        MembersReached++;
        _memberRows = 0;
        _memberLastRow = null;
    }
}

/// <summary>The request of one member of a batch by persistence id: the first <see cref="Limit"/> rows of a range, including deleted rows.</summary>
internal readonly record struct ByIdRequest(string PersistenceId, SequenceRange Range, int Limit);

/// <summary>The result of one member.</summary>
/// <param name="Page">The events without deleted ones; null if there are none.</param>
/// <param name="LastRow">The sequence number of the last row that was read, deleted or not; null if there was none.</param>
/// <param name="MayHaveMore">Whether the range may have rows after the last one.</param>
internal readonly record struct ByIdResult(Page<JournalEvent>? Page, long? LastRow, bool MayHaveMore);

/// <summary>A range of sequence numbers, both ends included; empty if <see cref="From"/> is above <see cref="To"/>.</summary>
internal readonly record struct SequenceRange(long From, long To)
{
    internal bool IsEmpty => From > To;
}
