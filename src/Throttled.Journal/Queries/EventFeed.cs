using Microsoft.Extensions.Logging;
using Throttled.Journal.Database;
using Throttled.Journal.Diagnostics;
using Throttled.Journal.Rows;

namespace Throttled.Journal.Queries;

/// <summary>A query that brings events, some of them perhaps without the payload that was too large to be read.</summary>
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

    // A page is given with the bytes that were counted for it, so that they all go back with it.
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

    // The next page begins with the one that is too large. Until then the query has not failed: its reader may lose this page, and
    // request it again.
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

/// <summary>What becomes of the events whose payload was left out because it is above the limit. On the loop.</summary>
internal sealed class LargePayloadFilter
{
    private readonly JournalContext _context;
    private bool _isWarned;

    private LargePayloadFilter(JournalContext context) => _context = context;

    /// <summary>Null where there are none, or where they are delivered as they are.</summary>
    internal static LargePayloadFilter? Of(JournalContext context) =>
        context.Options is { MaxPayloadBytes: not null, OnLargePayload: not LargePayloadAction.OmitPayload } ? new(context) : null;

    internal bool AreSkipped => _context.Options.OnLargePayload == LargePayloadAction.Skip;

    /// <summary>The index of the first in a page; null where there is none.</summary>
    internal static int? FirstIn(Page<JournalEvent> page)
    {
        for (var i = 0; i < page.Count; i++)
        {
            if (IsLarge(page[i]!))
                return i;
        }
        return null;
    }

    /// <summary>The others of a page; logs those that are skipped.</summary>
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

    /// <summary>What the query fails with that wants the event.</summary>
    internal JournalException Refusal(JournalEvent row) => _context.Failure(FormattableString.Invariant(
        $"The payload of {Named(row)} has {row.OmittedPayloadBytes} bytes; 'MaxPayloadBytes' is {_context.Options.MaxPayloadBytes}. ")
        + "Raise 'MaxPayloadBytes', or set 'OnLargePayload' to Skip or OmitPayload.");

    private static bool IsLarge(JournalEvent row) => row.OmittedPayloadBytes > 0;

    private static string Named(JournalEvent row) =>
        FormattableString.Invariant($"event {row.SequenceNumber} of '{row.PersistenceId}' (ordering {row.Ordering})");

    // A journal may hold millions: the first warns, and who wants to know them all turns the log up.
    private void Skipped(JournalEvent row)
    {
        _context.Log.PayloadSkipped(
            _isWarned ? LogLevel.Debug : LogLevel.Warning, Named(row), row.OmittedPayloadBytes, _context.Options.MaxPayloadBytes!.Value);
        _isWarned = true;
    }
}
