namespace Throttled.Faults.Bounds;

/// <summary>The kind of a query of the churn.</summary>
internal enum ChurnKind
{
    ById,
    All,
    Tag,
    Slices,
    Ids,
}

/// <summary>How far the reader of a query reads.</summary>
internal enum ChurnStay
{
    /// <summary>It enumerates nothing.</summary>
    Unread,

    /// <summary>It leaves immediately after its first request.</summary>
    AtOnce,

    /// <summary>It reads some items and stops, mostly in the middle of a page.</summary>
    Sleeps,

    /// <summary>It reads until it is stopped.</summary>
    ReadsOn,
}

/// <summary>The random choices for one run of a query.</summary>
/// <param name="Kind">The kind of the query.</param>
/// <param name="IsLive">Whether it is a live query.</param>
/// <param name="Key">The id or tag.</param>
/// <param name="From">The sequence number or ordering from which it reads.</param>
/// <param name="Stay">How far its reader reads.</param>
/// <param name="Items">The number of items after which it stops.</param>
/// <param name="IsDisposed">Whether its reader leaves by disposing the enumerator; if not, it is cancelled.</param>
internal readonly record struct ChurnFate(
    ChurnKind Kind, bool IsLive, int Key, long From, ChurnStay Stay, int Items, bool IsDisposed)
{
    // As in real applications, queries of the whole journal are fewer than those of one id.
    private static readonly ChurnKind[] Kinds =
    [
        ChurnKind.ById, ChurnKind.ById, ChurnKind.ById, ChurnKind.ById, ChurnKind.ById, ChurnKind.ById,
        ChurnKind.All, ChurnKind.Tag, ChurnKind.Slices, ChurnKind.Ids,
    ];

    private static readonly ChurnStay[] Stays =
        [ChurnStay.Unread, ChurnStay.AtOnce, ChurnStay.Sleeps, ChurnStay.Sleeps, .. Enumerable.Repeat(ChurnStay.ReadsOn, 6)];

    /// <param name="random">The random source.</param>
    /// <param name="ids">The number of ids.</param>
    /// <param name="events">The number of events.</param>
    internal static ChurnFate Draw(Random random, int ids, long events)
    {
        var kind = Kinds[random.Next(Kinds.Length)];
        // Queries in journal order begin at few places near the end, like readers that resume.
        var from = kind == ChurnKind.ById ? random.Next(10) : Math.Max(0, events - (100 * random.Next(4))) / 100 * 100;
        return new(
            kind, random.Next(10) < 7, random.Next(ids), from, Stays[random.Next(Stays.Length)], random.Next(1, 8), random.Next(3) == 0);
    }

    internal IAsyncEnumerable<JournalEvent> Events(JournalReader reader) => (Kind, IsLive) switch
    {
        (ChurnKind.ById, _) => reader.Events(IsLive, ChurnJournal.Id(Key), From),
        (ChurnKind.All, true) => reader.AllEvents(From),
        (ChurnKind.All, false) => reader.CurrentAllEvents(From),
        (ChurnKind.Tag, true) => reader.EventsByTag(ChurnJournal.Tag(Key), From),
        (ChurnKind.Tag, false) => reader.CurrentEventsByTag(ChurnJournal.Tag(Key), From),
        (_, true) => reader.EventsBySlices(0, 255, From),
        (_, false) => reader.CurrentEventsBySlices(0, 255, From),
    };

    /// <summary>Whether an event may follow another, or be the first.</summary>
    internal bool Allows(JournalEvent? last, JournalEvent next) => Kind switch
    {
        ChurnKind.ById => next.PersistenceId == ChurnJournal.Id(Key)
            && next.SequenceNumber == (last is null ? Math.Max(1, From) : last.SequenceNumber + 1),
        _ => next.Ordering > (last?.Ordering ?? From),
    };
}
