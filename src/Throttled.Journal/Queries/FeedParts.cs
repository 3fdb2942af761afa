using Throttled.Journal.Diagnostics;
using Throttled.Journal.Pages;
using Throttled.Journal.Tail;

namespace Throttled.Journal.Queries;

/// <summary>What all feeds of a journal work with; one record, so that a feed needs one reference.</summary>
internal sealed record FeedParts(
    JournalContext Context, PageGate Gate, JournalTail Tail, HeldPages Held, ByteBudget Budget, JournalGauges Gauges)
{
    /// <summary>What becomes of events whose payload was not read; null where there are none, or they are delivered.</summary>
    internal LargePayloads? LargePayloads { get; } = LargePayloads.Of(Context);

    /// <summary>Why no more feeds can be opened; null while they can.</summary>
    internal Func<Exception>? Closed { get; set; }

    /// <summary>How often the journal turned out to be another one. Whoever began before must not read on.</summary>
    internal int Rewinds { get; set; }

    /// <summary>The highest ordering that had been read when it last did.</summary>
    internal long RewoundFrom { get; set; }
}
