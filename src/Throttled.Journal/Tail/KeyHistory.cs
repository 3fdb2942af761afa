using Throttled.Journal.Rows;

namespace Throttled.Journal.Tail;

/// <summary>
/// The newest keys that the tail has seen, for databases that issue orderings again. It finds which keys are unchanged. It needs every key of the
/// journal from <see cref="Oldest"/> on, including those of deleted rows. Clear it if keys are left out.
/// </summary>
// SQLite without AUTOINCREMENT gives a row the highest existing number plus 1: https://www.sqlite.org/autoinc.html. While a row exists, no number up
// to its own is issued. If a number was issued again, every row from it on had been deleted before.
internal sealed class KeyHistory(int capacity)
{
    private readonly List<JournalKey> _keys = [];

    /// <summary>If the newest key is gone, the journal is read again from this key on; null if the history is empty.</summary>
    internal JournalKey? Oldest => _keys.Count > 0 ? _keys[0] : null;

    /// <summary>The key that the next poll must find unchanged; null if the history is empty.</summary>
    internal JournalKey? Newest => _keys.Count > 0 ? _keys[^1] : null;

    /// <summary>Adds the keys of a poll, ascending. A poll begins at the newest key, which is not added twice.</summary>
    internal void Add(IEnumerable<JournalKey> keys)
    {
        foreach (var key in keys)
        {
            if (Newest is not { } newest || key.Ordering > newest.Ordering)
                _keys.Add(key);
        }
        _keys.RemoveRange(0, Math.Max(0, _keys.Count - capacity));
    }

    /// <summary>The newest key up to which the journal is unchanged; null if no key proves that.</summary>
    /// <param name="now">All keys of the journal from <see cref="Oldest"/> on, ascending.</param>
    // If a key is gone but a higher one exists, its row was deleted alone, and its number was not issued again. If a key differs, or was not there
    // before, its number was issued a second time. Everything above it is then new, even if it looks the same: ids whose rows were all deleted count
    // from 1 again. One case cannot be detected: a row was deleted and the same event of the same id was written again with the same number, and
    // nothing below it changed. It counts as the old row, so its readers do not get this event twice. They get the events after it.
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

    internal void CutAfter(long ordering) => _keys.RemoveAll(key => key.Ordering > ordering);

    internal void Clear() => _keys.Clear();
}
