using Throttled.Journal.Rows;

namespace Throttled.Journal.Tail;

/// <summary>
/// The newest keys that the tail has seen of a journal whose numbers are issued again: which of them are still as they were. It needs every
/// key of the journal from <see cref="Oldest"/> on, those of deleted rows too; who passes keys over clears it.
/// </summary>
/// <param name="capacity">How many keys it remembers.</param>
// SQLite without AUTOINCREMENT numbers a row one above the highest that is there: https://www.sqlite.org/autoinc.html. So while a row stands,
// no number up to its own is issued; and where a number was issued again, every row from it on had gone before.
internal sealed class KeyHistory(int capacity)
{
    private readonly List<JournalKey> _keys = [];

    /// <summary>From here on the journal is to be read again when the newest key is no more; null where nothing is remembered.</summary>
    internal JournalKey? Oldest => _keys.Count > 0 ? _keys[0] : null;

    /// <summary>The key that the next poll must find unchanged.</summary>
    internal JournalKey? Newest => _keys.Count > 0 ? _keys[^1] : null;

    /// <summary>Remembers the keys of a poll, ascending. A poll begins at the newest key, which is not remembered twice.</summary>
    internal void Add(IEnumerable<JournalKey> keys)
    {
        foreach (var key in keys)
        {
            if (Newest is not { } newest || key.Ordering > newest.Ordering)
                _keys.Add(key);
        }
        _keys.RemoveRange(0, Math.Max(0, _keys.Count - capacity));
    }

    /// <summary>The newest key up to which the journal is the one that was seen; null where nothing shows that any of it is.</summary>
    /// <param name="now">All keys of the journal from <see cref="Oldest"/> on, ascending.</param>
    // A key that is gone below one that stands was deleted by itself: its number was not issued since. A key that is another, or that was
    // not there when its surroundings were seen, has its number for the second time: whatever is above it is new, even where it looks as
    // before, because ids that were deleted wholly count from 1 again. What cannot be told is a row that was deleted and written anew as the same
    // event of the same id under the same number, nothing below it being another. It is taken for the old one, so its readers
    // do not get this event of that id twice; what follows it they get.
    internal JournalKey? LastIn(IReadOnlyList<JournalKey> now)
    {
        JournalKey? last = null;
        var next = 0;
        foreach (var key in now)
        {
            while (next < _keys.Count && _keys[next].Ordering < key.Ordering)
                next++;
            if (next == _keys.Count || _keys[next] != key)
                break;
            last = key;
        }
        return last;
    }

    /// <summary>Forgets the keys above an ordering.</summary>
    internal void CutAfter(long ordering) => _keys.RemoveAll(key => key.Ordering > ordering);

    /// <summary>Forgets all.</summary>
    internal void Clear() => _keys.Clear();
}
