using Throttled.Journal.Pages;

namespace Throttled.Journal.Queries;

/// <summary>A query that brings events, some of them perhaps without the payload that was too large to be read.</summary>
internal abstract class EventFeed(FeedParts parts, IPageReader<JournalEvent> reader, bool isLive)
    : JournalFeed<JournalEvent>(parts, reader, isLive)
{
    private protected override void Give(Page<JournalEvent> page)
    {
        if (Parts.LargePayloads is not { } large || LargePayloads.FirstIn(page) is not { } first)
            base.Give(page);
        else if (large.AreSkipped)
            GiveOthers(page, large);
        else
            GiveThoseBefore(page, first, large);
    }

    // A page is given with the bytes that were counted for it, so that they all go back with it.
    private void GiveOthers(Page<JournalEvent> page, LargePayloads large)
    {
        if (large.Others(page) is { Length: > 0 } others)
            base.Give(new(others, page.Bytes));
        else
        {
            Parts.Budget.Return(page.Bytes);
            Advance();
        }
    }

    // The next page begins with the one that is too large. Until then the query has not failed: its reader may lose this page, and
    // request it again.
    private void GiveThoseBefore(Page<JournalEvent> page, int first, LargePayloads large)
    {
        if (first == 0)
        {
            Parts.Budget.Return(page.Bytes);
            End(large.Refusal(page[0]!));
            return;
        }
        GoBackTo(page[first - 1]!);
        base.Give(new([.. Enumerable.Range(0, first).Select(i => page[i]!)], page.Bytes));
    }
}
