using Throttled.Journal.Pages;
using Throttled.Journal.Sql;

namespace Throttled.Journal.Queries;

/// <summary>The persistence ids that are there now: a page of them for each demand, and nothing to remember but the last.</summary>
internal sealed class CurrentIdsFeed(FeedParts parts, IPageReader<string> reader)
    : JournalFeed<string>(parts, reader, isLive: false), IIdsRequest
{
    private string? _last;

    internal override string Subject => "the persistence ids";

    public string? Start() => _last;

    public void Read(IdsRead read)
    {
        LeftGate();
        _last = read.Last;
        if (!read.MoreMayFollow)
            SetState(FeedState.AtEnd);
        if (read.Page is { } page)
            Give(page);
        else
            Advance();
    }

    private protected override FeedState Open() => FeedState.CatchingUp;

    private protected override Page<string>? TakeArrived() => null;

    private protected override void CatchUp() => GoToGate();

    private protected override void GoBackTo(string last)
    {
        _last = last;
        if (State == FeedState.AtEnd)
            SetState(FeedState.CatchingUp);
    }

    private protected override void DropArrived()
    {
    }

    private protected override void Moved(FeedState from)
    {
    }
}
