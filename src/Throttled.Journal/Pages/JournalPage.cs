namespace Throttled.Journal.Pages;

/// <summary>Consecutive events of one query, on their way to its reader.</summary>
internal sealed class JournalPage
{
    private readonly JournalEvent?[] _events;

    internal JournalPage(JournalEvent[] events, int count, long bytes)
    {
        _events = events;
        Count = count;
        Bytes = bytes;
    }

    internal int Count { get; }

    internal long Bytes { get; }

    /// <summary>
    /// The event at an index; null where the page was forgotten, in which case the reader asks again from where it is.
    /// May be called while <see cref="Forget"/> runs on another thread.
    /// </summary>
    internal JournalEvent? this[int index] => Volatile.Read(ref _events[index]);

    /// <summary>Drops the events, so that their memory can serve a reader that is not asleep.</summary>
    internal void Forget() => Array.Clear(_events);
}
