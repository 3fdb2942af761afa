using Throttled.Journal;
using Throttled.Journal.Queries;
using Throttled.Journal.Rows;

namespace Akka.Persistence.Query.Throttled.Cluster.Feed;

/// <summary>A live query of this node's read journal, read page by page. Events are raised on the journal's loop or on the thread pool.</summary>
internal sealed class PageQuery : IPageReader<JournalEvent>
{
    private readonly IFeed<JournalEvent> _feed;

    internal PageQuery(JournalQuery<JournalEvent> query) => _feed = query.Open(this);

    internal required Action<PageQuery, Page<JournalEvent>> Page { get; init; }

    internal required Action<PageQuery, Scan?> Scanned { get; init; }

    /// <summary>The query has ended; null if it was closed.</summary>
    internal required Action<PageQuery, Exception?> Ended { get; init; }

    internal void Demand() => _feed.Demand();

    internal void Scan()
    {
        if (_feed is not IScanningFeed feed)
        {
            Scanned(this, null);
            return;
        }
        var answer = new TaskCompletionSource<Scan?>(TaskCreationOptions.RunContinuationsAsynchronously);
        _ = answer.Task.ContinueWith(scan => Scanned(this, scan.Result), TaskContinuationOptions.OnlyOnRanToCompletion);
        feed.ReportScanned(answer);
    }

    /// <summary>Passes the question of how far the query has scanned on to the query.</summary>
    internal void ReportScanned(TaskCompletionSource<Scan?> answer)
    {
        if (_feed is IScanningFeed feed)
            feed.ReportScanned(answer);
        else
            answer.TrySetResult(null);
    }

    internal void Close() => _feed.Close();

    void IPageReader<JournalEvent>.Receive(Page<JournalEvent> page) => Page(this, page);

    void IPageReader<JournalEvent>.Complete() => Ended(this, null);

    void IPageReader<JournalEvent>.Fail(Exception error) => Ended(this, error);
}
