using Throttled.Journal.Pages;

namespace Throttled.Journal.Sql;

/// <summary>
/// One statement that reads the pages of several members. The database adds rows as they arrive, members one after the
/// other, until it has none left or <see cref="Add"/> says stop. Used by one thread at a time.
/// </summary>
internal sealed class PageStatement(IReadOnlyList<PageAsk> asks, int maxRows, ByteBudget budget)
{
    private readonly PageRead?[] _pages = new PageRead?[asks.Count];
    private readonly ArrivingBytes _bytes = new(budget);
    private readonly PageItems<JournalEvent> _events = new();
    private int _member;
    private int _memberRows;
    private long? _memberLastRow;
    private int _allRows;
    private long _highest = long.MinValue;

    internal IReadOnlyList<PageAsk> Asks => asks;

    /// <summary>At most so many rows; the database may stop sending there by itself.</summary>
    internal int MaxRows => maxRows;

    /// <summary>Rows added, deleted ones too.</summary>
    internal int Rows => _allRows;

    /// <summary>Members that have a page, an empty one perhaps.</summary>
    internal int MembersReached => _member;

    /// <summary>Whether <see cref="Add"/> or <see cref="AddDeleted"/> said stop.</summary>
    internal bool IsStopped { get; private set; }

    /// <summary>What was read for each member, null for those that were not reached.</summary>
    internal IReadOnlyList<PageRead?> Pages => _pages;

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
        _bytes.Arrived();
        var cut = IsStopped || _allRows >= maxRows;
        if (!cut)
        {
            while (_member < asks.Count)
                CloseMember(cutShort: false);
        }
        else if (_memberRows > 0)
            CloseMember(cutShort: true);
        _events.Release();
    }

    /// <summary>The statement failed: gives back what was counted.</summary>
    internal void Discard()
    {
        _bytes.Discard();
        _events.Release();
    }

    /// <summary>Gives back what was counted for a member that does not take its page.</summary>
    internal void Drop(int member) => budget.Return(_pages[member]?.Page?.Bytes ?? 0);

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
            CloseMember(cutShort: false);
        _memberLastRow = sequenceNumber;
        _memberRows++;
        _allRows++;
    }

    private bool GoOn(bool hasRoom)
    {
        IsStopped = _allRows >= maxRows || !hasRoom;
        return !IsStopped;
    }

    private void CloseMember(bool cutShort)
    {
        _pages[_member] = new(_events.Take(), _memberLastRow, cutShort || _memberRows >= asks[_member].Limit);
        _member++;
        _memberRows = 0;
        _memberLastRow = null;
    }
}
