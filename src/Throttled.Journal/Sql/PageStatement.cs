using Throttled.Journal.Pages;

namespace Throttled.Journal.Sql;

/// <summary>
/// One statement that reads the pages of several members. The database adds rows as they arrive, members one after the
/// other, until it has none left or <see cref="Add"/> says stop. Used by one thread at a time.
/// </summary>
internal sealed class PageStatement(IReadOnlyList<PageAsk> asks, int maxRows, ByteBudget budget)
{
    private readonly List<JournalEvent> _rows = [];
    private readonly PageRead?[] _pages = new PageRead?[asks.Count];
    private int _member;
    private int _memberRows;
    private int _memberStart;
    private long _memberBytes;
    private long? _memberLastRow;
    private int _allRows;

    internal IReadOnlyList<PageAsk> Asks => asks;

    /// <summary>At most so many rows; the database may stop sending there by itself.</summary>
    internal int MaxRows => maxRows;

    /// <summary>All events added so far, for the read of their tags.</summary>
    internal IReadOnlyList<JournalEvent> Events => _rows;

    /// <summary>Whether <see cref="Add"/> or <see cref="AddDeleted"/> said stop.</summary>
    internal bool IsStopped { get; private set; }

    /// <summary>Adds a member's next row.</summary>
    /// <returns>Whether to go on; false once rows or bytes are at their bound.</returns>
    /// <exception cref="InvalidOperationException">The row belongs to a member before the last row's, or is not above the last.</exception>
    internal bool Add(int member, JournalEvent row)
    {
        Enter(member, row.SequenceNumber);
        _rows.Add(row);
        _memberBytes += row.Bytes;
        budget.Take(row.Bytes);
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
        var cut = IsStopped || _allRows >= maxRows;
        if (!cut)
        {
            while (_member < asks.Count)
                CloseMember(cutShort: false);
        }
        else if (_memberRows > 0)
            CloseMember(cutShort: true);
        return _pages;
    }

    /// <summary>Gives back the bytes of a statement whose rows will not be used.</summary>
    internal void Discard()
    {
        var bytes = 0L;
        foreach (var row in _rows)
            bytes += row.Bytes;
        budget.Return(bytes);
        _rows.Clear();
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

    private bool GoOn() => !(IsStopped = _allRows >= maxRows || budget.IsSpent);

    private void CloseMember(bool cutShort)
    {
        var count = _rows.Count - _memberStart;
        JournalPage? page = null;
        if (count > 0)
        {
            var events = new JournalEvent[count];
            _rows.CopyTo(_memberStart, events, 0, count);
            page = new(events, count, _memberBytes);
        }
        _pages[_member] = new(page, _memberLastRow, cutShort || _memberRows >= asks[_member].Limit);
        _member++;
        _memberStart = _rows.Count;
        _memberRows = 0;
        _memberBytes = 0;
        _memberLastRow = null;
    }
}
