using System.Buffers;
using Throttled.Journal.Pages;

namespace Throttled.Journal.Sql;

/// <summary>
/// One statement that reads the pages of several members. The database adds rows as they arrive, members one after the
/// other, until it has none left or <see cref="Add"/> says stop. Used by one thread at a time.
/// </summary>
internal sealed class PageStatement(IReadOnlyList<PageAsk> asks, int maxRows, ByteBudget budget)
{
    private const int FirstRows = 128;

    private readonly PageRead?[] _pages = new PageRead?[asks.Count];

    // The rows of the member that is being read. A page gets an array of its own, just as long as it is: arrays that grow
    // would end among the large objects, which only the most expensive collections clear.
    private JournalEvent[] _rows = ArrayPool<JournalEvent>.Shared.Rent(FirstRows);
    private int _count;
    private int _member;
    private int _memberRows;
    private long _memberBytes;
    private long? _memberLastRow;
    private int _allRows;
    private long _allBytes;
    private long _highest = long.MinValue;
    private long _countedBytes;

    internal IReadOnlyList<PageAsk> Asks => asks;

    /// <summary>At most so many rows; the database may stop sending there by itself.</summary>
    internal int MaxRows => maxRows;

    /// <summary>Rows added, deleted ones too.</summary>
    internal int Rows => _allRows;

    /// <summary>Members that have a page, an empty one perhaps.</summary>
    internal int MembersReached => _member;

    /// <summary>Whether <see cref="Add"/> or <see cref="AddDeleted"/> said stop.</summary>
    internal bool IsStopped { get; private set; }

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
        for (var i = 0; i < _count; i++)
            AddFrom(ordering, _rows[i], events);
        return events;
    }

    /// <summary>Adds a member's next row.</summary>
    /// <returns>Whether to go on; false once rows or bytes are at their bound.</returns>
    /// <exception cref="InvalidOperationException">The row belongs to a member before the last row's, or is not above the last.</exception>
    internal bool Add(int member, JournalEvent row)
    {
        Enter(member, row.SequenceNumber);
        if (_count == _rows.Length)
            Grow();
        _rows[_count++] = row;
        _highest = Math.Max(_highest, row.Ordering);
        var bytes = row.Bytes;
        _memberBytes += bytes;
        _allBytes += bytes;
        return GoOn();
    }

    /// <summary>Adds a deleted row: it is no event, but the range is read up to it.</summary>
    internal bool AddDeleted(int member, long sequenceNumber)
    {
        Enter(member, sequenceNumber);
        return GoOn();
    }

    /// <summary>
    /// Closes the statement after its reader was closed cleanly. Members that were not reached have no page and go back to
    /// the head of the line.
    /// </summary>
    internal IReadOnlyList<PageRead?> Complete()
    {
        Count();
        budget.Arrived(_countedBytes);
        var cut = IsStopped || _allRows >= maxRows;
        if (!cut)
        {
            while (_member < asks.Count)
                CloseMember(cutShort: false);
        }
        else if (_memberRows > 0)
            CloseMember(cutShort: true);
        GiveBackRows();
        return _pages;
    }

    /// <summary>Gives back the bytes of a statement whose rows will not be used.</summary>
    internal void Discard()
    {
        budget.Arrived(_countedBytes);
        budget.Return(_countedBytes);
        GiveBackRows();
    }

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

    private bool GoOn()
    {
        IsStopped = _allRows >= maxRows;
        if (_allBytes - _countedBytes >= budget.Step)
        {
            Count();
            IsStopped |= budget.IsSpent;
        }
        return !IsStopped;
    }

    private void Count()
    {
        budget.Arrive(_allBytes - _countedBytes);
        _countedBytes = _allBytes;
    }

    private void CloseMember(bool cutShort)
    {
        JournalPage? page = null;
        if (_count > 0)
        {
            page = new(_rows.AsSpan(0, _count).ToArray(), _count, _memberBytes);
            _rows.AsSpan(0, _count).Clear();
        }
        _pages[_member] = new(page, _memberLastRow, cutShort || _memberRows >= asks[_member].Limit);
        _member++;
        _count = 0;
        _memberRows = 0;
        _memberBytes = 0;
        _memberLastRow = null;
    }

    private void Grow()
    {
        var longer = ArrayPool<JournalEvent>.Shared.Rent(_rows.Length * 2);
        _rows.CopyTo(longer, 0);
        ArrayPool<JournalEvent>.Shared.Return(_rows, clearArray: true);
        _rows = longer;
    }

    private void GiveBackRows()
    {
        _rows.AsSpan(0, _count).Clear();
        ArrayPool<JournalEvent>.Shared.Return(_rows);
        (_rows, _count, _memberBytes) = ([], 0, 0);
    }
}
