using Microsoft.Extensions.Logging;
using Throttled.Journal.Diagnostics;
using Throttled.Journal.Pages;

namespace Throttled.Journal.Queries;

/// <summary>What becomes of the events whose payload was left out because it is above the limit. On the loop.</summary>
internal sealed class LargePayloads
{
    private readonly JournalContext _context;
    private bool _isWarned;

    private LargePayloads(JournalContext context) => _context = context;

    /// <summary>Null where there are none, or where they are delivered as they are.</summary>
    internal static LargePayloads? Of(JournalContext context) =>
        context.Options is { MaxPayloadBytes: not null, OnLargePayload: not LargePayload.Deliver } ? new(context) : null;

    internal bool AreSkipped => _context.Options.OnLargePayload == LargePayload.Skip;

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
