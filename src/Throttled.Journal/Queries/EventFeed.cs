using Microsoft.Extensions.Logging;
using Throttled.Journal.Database;
using Throttled.Journal.Diagnostics;
using Throttled.Journal.Rows;

namespace Throttled.Journal.Queries;

/// <summary>A query for events. An event whose payload is too large is delivered without it, is skipped, or fails the query.</summary>
internal abstract class EventFeed(FeedContext context, IPageReader<JournalEvent> reader, bool isLive)
    : JournalFeed<JournalEvent>(context, reader, isLive)
{
    private protected override void Deliver(Page<JournalEvent> page)
    {
        if (Context.LargePayloadFilter is not { } large || LargePayloadFilter.FirstIn(page) is not { } first)
            base.Deliver(page);
        else if (large.AreSkipped)
            DeliverOthers(page, large);
        else
            DeliverThoseBefore(page, first, large);
    }

    // The new page keeps the byte count of the whole page, so all bytes are released with it.
    private void DeliverOthers(Page<JournalEvent> page, LargePayloadFilter large)
    {
        if (large.Others(page) is { Length: > 0 } others)
            base.Deliver(new(others, page.Bytes));
        else
        {
            Context.Budget.Release(page.Bytes);
            Advance();
        }
    }

    // The next page begins with the large event, and the query fails then. It does not fail earlier, because this page may be reclaimed and requested
    // again.
    private void DeliverThoseBefore(Page<JournalEvent> page, int first, LargePayloadFilter large)
    {
        if (first == 0)
        {
            Context.Budget.Release(page.Bytes);
            End(large.Refusal(page[0]!));
            return;
        }
        GoBackTo(page[first - 1]!);
        base.Deliver(new([.. Enumerable.Range(0, first).Select(i => page[i]!)], page.Bytes));
    }
}

/// <summary>Handles events whose payload was not read because it is above the limit. On the loop.</summary>
internal sealed class LargePayloadFilter
{
    private readonly JournalContext _context;
    private bool _isWarned;

    private LargePayloadFilter(JournalContext context) => _context = context;

    /// <summary>Creates the filter; null if there is no limit, or if such events are delivered without payload.</summary>
    internal static LargePayloadFilter? Of(JournalContext context) =>
        context.Options is { MaxPayloadBytes: not null, OnLargePayload: not LargePayloadAction.OmitPayload } ? new(context) : null;

    internal bool AreSkipped => _context.Options.OnLargePayload == LargePayloadAction.Skip;

    /// <summary>The index of the first such event in a page; null if there is none.</summary>
    internal static int? FirstIn(Page<JournalEvent> page)
    {
        for (var i = 0; i < page.Count; i++)
        {
            if (IsLarge(page[i]!))
                return i;
        }
        return null;
    }

    /// <summary>Returns the other events of a page and logs the skipped ones.</summary>
    internal JournalEvent[] Others(Page<JournalEvent> page)
    {
        List<JournalEvent> others = [];
        for (var i = 0; i < page.Count; i++)
        {
            var row = page[i]!;
            if (IsLarge(row))
                Skipped(row);
            else
                others.Add(row);
        }
        return [.. others];
    }

    internal JournalException Refusal(JournalEvent row) => _context.Failure(FormattableString.Invariant(
        $"The payload of {Named(row)} has {row.OmittedPayloadBytes} bytes; 'MaxPayloadBytes' is {_context.Options.MaxPayloadBytes}. ")
        + "Raise 'MaxPayloadBytes', or set 'OnLargePayload' to Skip or OmitPayload.");

    private static bool IsLarge(JournalEvent row) => row.OmittedPayloadBytes > 0;

    private static string Named(JournalEvent row) =>
        FormattableString.Invariant($"event {row.SequenceNumber} of '{row.PersistenceId}' (ordering {row.Ordering})");

    // A journal may contain millions of such events. Only the first one is logged as a warning, the others at Debug.
    private void Skipped(JournalEvent row)
    {
        _context.Log.PayloadSkipped(
            _isWarned ? LogLevel.Debug : LogLevel.Warning, Named(row), row.OmittedPayloadBytes, _context.Options.MaxPayloadBytes!.Value);
        _isWarned = true;
    }
}
