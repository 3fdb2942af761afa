using Throttled.Journal.Pages;
using Throttled.Journal.Rows;
using Throttled.Journal.Tail;

namespace Throttled.Journal.Queries;

/// <summary>A query for the persistence ids that exist now. It reads one page for each demand and keeps only the last id.</summary>
internal sealed class CurrentIdsFeed(FeedContext context, IPageReader<string> reader)
    : JournalFeed<string>(context, reader, isLive: false), IIdsPageRequest
{
    private string? _last;

    internal override string Subject => "the persistence ids";

    public string? CreateRequest() => _last;

    public void Accept(IdsResult result)
    {
        PageAnswered();
        _last = result.Last;
        if (!result.MayHaveMore)
            SetState(FeedState.AtEnd);
        if (result.Page is { } page)
            Deliver(page);
        else
            Advance();
    }

    private protected override FeedState Open() => FeedState.CatchingUp;

    private protected override Page<string>? TakePending() => null;

    private protected override void CatchUp() => RequestPage();

    private protected override void GoBackTo(string last)
    {
        _last = last;
        if (State == FeedState.AtEnd)
            SetState(FeedState.CatchingUp);
    }

    private protected override void Moved(FeedState from)
    {
    }
}

/// <summary>A query for present and future persistence ids. It is a position in the list that all these queries share.</summary>
internal sealed class LiveIdsFeed(FeedContext context, IPageReader<string> reader) : JournalFeed<string>(context, reader, isLive: true), IIdsFollower
{
    // The size of a reference to an id. The ids themselves are in the shared list.
    private const int BytesEach = 8;

    // The number of listed ids that were delivered, and the index in the list at which the reader's page begins.
    private int _delivered;
    private int _pageBegins;

    internal override string Subject => "the persistence ids";

    public void NotifyOfIds() => Advance();

    private protected override FeedState Open() => FeedState.Following;

    private protected override Page<string>? TakePending()
    {
        if (State != FeedState.Following)
            return null;
        var page = Context.Tail.Ids.Slice(_delivered, Context.Journal.Options.MaxBufferSize);
        if (page.Length == 0)
            return null;
        _pageBegins = _delivered;
        _delivered += page.Length;
        Context.Budget.Reserve(page.Length * BytesEach);
        return new(page, page.Length * BytesEach);
    }

    private protected override void CatchUp()
    {
    }

    private protected override void GoBackTo(string last)
    {
        // If the query has ended, the list may be cleared.
        if (State == FeedState.Following)
            _delivered = Context.Tail.Ids.IndexOf(last, _pageBegins) + 1;
    }

    private protected override void Moved(FeedState from)
    {
        if (State == FeedState.Following)
            Context.Tail.Ids.Add(this);
        else if (from == FeedState.Following)
            Context.Tail.Ids.Remove(this);
    }
}
