namespace Throttled.Journal.Rows;

/// <summary>
/// One statement that reads the pages of several members. The database adds rows as they arrive, members one after the
/// other, until it has none left or <see cref="Add"/> says stop. Used by one thread at a time.
/// </summary>
internal sealed class ByIdRows(IReadOnlyList<ByIdRequest> requests, int maxRows, ByteBudget budget)
{
    private readonly ByIdResult?[] _pages = new ByIdResult?[requests.Count];
    private readonly InFlightBytes _bytes = new(budget);
    private readonly PageBuilder<JournalEvent> _events = new();
    private int _member;
    private int _memberRows;
    private long? _memberLastRow;
    private int _allRows;
    private long _highest = long.MinValue;

    internal IReadOnlyList<ByIdRequest> Requests => requests;

    /// <summary>At most so many rows; the database may stop sending there by itself.</summary>
    internal int MaxRows => maxRows;

    /// <summary>Rows added, deleted ones too.</summary>
    internal int Rows => _allRows;

    /// <summary>Members that have a page, an empty one perhaps.</summary>
    internal int MembersReached => _member;

    /// <summary>Whether <see cref="Add"/> or <see cref="AddDeleted"/> said stop.</summary>
    internal bool IsStopped { get; private set; }

    /// <summary>What was read for each member, null for those that were not reached.</summary>
    internal IReadOnlyList<ByIdResult?> Pages => _pages;

    /// <summary>The events added so far from an ordering on, for the read of their tags.</summary>
    internal List<JournalEvent> EventsFrom(long ordering)
    {
        List<JournalEvent> events = [];
        if (_highest < ordering)
            return events;
        for (var member = 0; member < _member; member++)
        {
            for (var i = 0; _pages[member]?.Page is { } page && i < page.Count; i++)
                AddFrom(ordering, page[i]!, events);
        }
        for (var i = 0; i < _events.Count; i++)
            AddFrom(ordering, _events[i], events);
        return events;
    }

    /// <summary>Adds a member's next row.</summary>
    /// <returns>Whether to go on; false once rows or bytes are at their bound.</returns>
    /// <exception cref="InvalidOperationException">The row belongs to a member before the last row's, or is not above the last.</exception>
    internal bool Add(int member, JournalEvent row)
    {
        Enter(member, row.SequenceNumber);
        _events.Add(row, row.Bytes);
        _highest = Math.Max(_highest, row.Ordering);
        return GoOn(_bytes.Add(row.Bytes));
    }

    /// <summary>Adds a deleted row: it is no event, but the range is read up to it.</summary>
    internal bool AddDeleted(int member, long sequenceNumber)
    {
        Enter(member, sequenceNumber);
        return GoOn(hasRoom: true);
    }

    /// <summary>Closes the statement after its reader was closed cleanly. Members that were not reached have no page.</summary>
    internal void Complete()
    {
        _bytes.Complete();
        var cut = IsStopped || _allRows >= maxRows;
        if (!cut)
        {
            while (_member < requests.Count)
                CloseMember(isTruncated: false);
        }
        else if (_memberRows > 0)
            CloseMember(isTruncated: true);
        _events.Release();
    }

    /// <summary>The statement failed: gives back what was counted.</summary>
    internal void Discard()
    {
        _bytes.Discard();
        _events.Release();
    }

    /// <summary>Gives back what was counted for a member that does not take its page.</summary>
    internal void Drop(int member) => budget.Release(_pages[member]?.Page?.Bytes ?? 0);

    private static void AddFrom(long ordering, JournalEvent row, List<JournalEvent> events)
    {
        if (row.Ordering >= ordering)
            events.Add(row);
    }

    private void Enter(int member, long sequenceNumber)
    {
        if (member < _member || (member == _member && sequenceNumber <= _memberLastRow))
            throw new InvalidOperationException("The rows of a shared statement arrived out of order.");
        while (_member < member)
            CloseMember(isTruncated: false);
        _memberLastRow = sequenceNumber;
        _memberRows++;
        _allRows++;
    }

    private bool GoOn(bool hasRoom)
    {
        IsStopped = _allRows >= maxRows || !hasRoom;
        return !IsStopped;
    }

    private void CloseMember(bool isTruncated)
    {
        _pages[_member] = new(_events.Take(), _memberLastRow, isTruncated || _memberRows >= requests[_member].Limit);
        _member++;
        _memberRows = 0;
        _memberLastRow = null;
    }
}

/// <summary>The request of one member of a batch by persistence id: the first <see cref="Limit"/> rows, deleted ones too, of a persistence id's range.</summary>
internal readonly record struct ByIdRequest(string PersistenceId, SequenceRange Range, int Limit);

/// <summary>What a statement found for one of its members.</summary>
/// <param name="Page">The events, deleted ones left out; null where there are none.</param>
/// <param name="LastRow">The sequence number of the last row read, deleted or not; null where there was no row.</param>
/// <param name="MayHaveMore">Whether the range may hold rows behind the last one.</param>
internal readonly record struct ByIdResult(Page<JournalEvent>? Page, long? LastRow, bool MayHaveMore);

/// <summary>Sequence numbers of one persistence id, both ends included; empty where <see cref="From"/> is above <see cref="To"/>.</summary>
internal readonly record struct SequenceRange(long From, long To)
{
    internal bool IsEmpty => From > To;
}
