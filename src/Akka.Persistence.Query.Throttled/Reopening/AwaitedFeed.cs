using Throttled.Journal;
using Throttled.Journal.Queries;

namespace Akka.Persistence.Query.Throttled.Reopening;

/// <summary>
/// The feed of a query that began while there was no engine. It forwards its reader's requests, in order, to the next engine.
/// If no engine can be opened, it fails the query with the exception of <c>explain</c>.
/// </summary>
internal sealed class AwaitedFeed<T>(
    Task<JournalEngine> engine, Func<JournalEngine, IFeed<T>> open, IPageReader<T> reader, Func<Exception, Exception> explain) : IFeed<T>, IScanningFeed
    where T : class
{
    private IFeed<T>? _feed;

    public void Demand() => Then(static feed => feed.Demand(), error => reader.Fail(explain(error)));

    public void DemandAfter(T last) => Then(feed => feed.DemandAfter(last));

    public void Close(Exception? failure = null) => Then(feed => feed.Close(failure));

    public void ReportScanned(TaskCompletionSource<Scan?> answer) => Then(
        feed =>
        {
            if (feed is IScanningFeed scanning)
                scanning.ReportScanned(answer);
            else
                answer.SetResult(null);
        },
        _ => answer.SetResult(null));

    // Requests are forwarded one after the other, in the order in which they came.
    private void Then(Action<IFeed<T>> act, Action<Exception>? fail = null) => engine.ContinueWith(
        opened =>
        {
            if (opened.IsCompletedSuccessfully)
                act(LazyInitializer.EnsureInitialized(ref _feed, () => open(opened.Result)));
            else
                fail?.Invoke(opened.Exception!.GetBaseException());
        },
        CancellationToken.None, TaskContinuationOptions.ExecuteSynchronously, TaskScheduler.Default);
}
