namespace Throttled.Journal.Queries;

/// <summary>Opens the feeds of one journal. A feed does nothing until its reader demands.</summary>
internal interface IFeeds
{
    IFeed<JournalEvent> Open(ByIdQuery query, IPageReader<JournalEvent> reader);

    IFeed<JournalEvent> Open(OrderedQuery query, IPageReader<JournalEvent> reader);

    IFeed<string> OpenIds(bool isLive, IPageReader<string> reader);
}
