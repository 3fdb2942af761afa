using Throttled.Journal;
using Throttled.Testing;

namespace Throttled.Faults.Bounds;

/// <summary>What a query of the churn asks for.</summary>
internal enum ChurnKind
{
    ById,
    All,
    Tag,
    Slices,
    Ids,
}

/// <summary>How far its reader goes.</summary>
internal enum ChurnStay
{
    /// <summary>It enumerates nothing.</summary>
    Unread,

    /// <summary>It leaves in the same breath in which it asked.</summary>
    AtOnce,

    /// <summary>It reads some items and sleeps, mostly in the middle of a page.</summary>
    Sleeps,

    /// <summary>It reads for as long as it is let.</summary>
    ReadsOn,
}

/// <summary>What is drawn for one run of a query.</summary>
/// <param name="Kind">What it asks for.</param>
/// <param name="IsLive">Whether it goes on at the end.</param>
/// <param name="Key">Which id or tag.</param>
/// <param name="From">The sequence number or ordering from which it reads.</param>
/// <param name="Stay">How far its reader goes.</param>
/// <param name="Items">After how many items it sleeps.</param>
/// <param name="IsDisposed">Whether its reader leaves by disposing of the enumeration; otherwise it is cancelled.</param>
internal readonly record struct ChurnFate(
    ChurnKind Kind, bool IsLive, int Key, long From, ChurnStay Stay, int Items, bool IsDisposed)
{
    // Queries of the whole journal are fewer than those of one id wherever there are very many.
    private static readonly ChurnKind[] Kinds =
    [
        ChurnKind.ById, ChurnKind.ById, ChurnKind.ById, ChurnKind.ById, ChurnKind.ById, ChurnKind.ById,
        ChurnKind.All, ChurnKind.Tag, ChurnKind.Slices, ChurnKind.Ids,
    ];

    private static readonly ChurnStay[] Stays =
        [ChurnStay.Unread, ChurnStay.AtOnce, ChurnStay.Sleeps, ChurnStay.Sleeps, .. Enumerable.Repeat(ChurnStay.ReadsOn, 6)];

    /// <param name="random">The source.</param>
    /// <param name="ids">How many ids there are.</param>
    /// <param name="events">How many events there are.</param>
    internal static ChurnFate Draw(Random random, int ids, long events)
    {
        var kind = Kinds[random.Next(Kinds.Length)];
        // Those in journal order begin at few places near the end, as readers do that resume.
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

    /// <summary>Whether an event may come behind another, or as the first.</summary>
    internal bool Allows(JournalEvent? last, JournalEvent next) => Kind switch
    {
        ChurnKind.ById => next.PersistenceId == ChurnJournal.Id(Key)
            && next.SequenceNumber == (last is null ? Math.Max(1, From) : last.SequenceNumber + 1),
        _ => next.Ordering > (last?.Ordering ?? From),
    };
}
