using Throttled.Journal.Pages;
using Throttled.Journal.Tail;

namespace Throttled.Journal.Queries;

/// <summary>The persistence ids and those to come: a place in the list that all such queries share.</summary>
internal sealed class LiveIdsFeed(FeedParts parts, IPageReader<string> reader) : JournalFeed<string>(parts, reader, isLive: true), IIdsFollower
{
    // What a reference to an id costs; the ids are the list's.
    private const int BytesEach = 8;

    // Ids in the list that are with the reader; where its page begins.
    private int _given;
    private int _pageBegins;

    internal override string Subject => "the persistence ids";

    public void ListGrew() => Advance();

    private protected override FeedState Open() => FeedState.Following;

    private protected override Page<string>? TakeArrived()
    {
        if (State != FeedState.Following)
            return null;
        var page = Parts.Tail.Ids.Slice(_given, Parts.Context.Options.MaxBufferSize);
        if (page.Length == 0)
            return null;
        _pageBegins = _given;
        _given += page.Length;
        Parts.Budget.Take(page.Length * BytesEach);
        return new(page, page.Length * BytesEach);
    }

    private protected override void CatchUp()
    {
    }

    private protected override void GoBackTo(string last)
    {
        // Where it has ended meanwhile, the list may be gone.
        if (State == FeedState.Following)
            _given = Parts.Tail.Ids.IndexOf(last, _pageBegins) + 1;
    }

    private protected override void DropArrived()
    {
    }

    private protected override void Moved(FeedState from)
    {
        if (State == FeedState.Following)
            Parts.Tail.Ids.Add(this);
        else if (from == FeedState.Following)
            Parts.Tail.Ids.Remove(this);
    }
}
