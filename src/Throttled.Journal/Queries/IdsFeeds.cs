using Throttled.Journal.Pages;
using Throttled.Journal.Rows;
using Throttled.Journal.Tail;

namespace Throttled.Journal.Queries;

/// <summary>The persistence ids that are there now: a page of them for each demand, and nothing to remember but the last.</summary>
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

    private protected override void DropPending()
    {
    }

    private protected override void Moved(FeedState from)
    {
    }
}

/// <summary>The persistence ids and those to come: a place in the list that all such queries share.</summary>
internal sealed class LiveIdsFeed(FeedContext context, IPageReader<string> reader) : JournalFeed<string>(context, reader, isLive: true), IIdsFollower
{
    // What a reference to an id costs; the ids are the list's.
    private const int BytesEach = 8;

    // Ids in the list that are with the reader; where its page begins.
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
        // Where it has ended meanwhile, the list may be gone.
        if (State == FeedState.Following)
            _delivered = Context.Tail.Ids.IndexOf(last, _pageBegins) + 1;
    }

    private protected override void DropPending()
    {
    }

    private protected override void Moved(FeedState from)
    {
        if (State == FeedState.Following)
            Context.Tail.Ids.Add(this);
        else if (from == FeedState.Following)
            Context.Tail.Ids.Remove(this);
    }
}
