using Throttled.Journal;
using Throttled.Journal.Queries;

namespace Akka.Persistence.Query.Throttled.Reopening;

/// <summary>A run of a query that began while there was no engine. What its reader asks for is done, in its order, when there is one.</summary>
/// <param name="engine">The engine to come.</param>
/// <param name="open">Opens the query's feed on it.</param>
/// <param name="reader">The reader that gets the pages.</param>
/// <param name="explain">What the query fails with where there will be none.</param>
internal sealed class AwaitedFeed<T>(
    Task<JournalEngine> engine, Func<JournalEngine, IFeed<T>> open, IPageReader<T> reader, Func<Exception, Exception> explain) : IFeed<T>
    where T : class
{
    private IFeed<T>? _feed;

    public void Demand() => Then(static feed => feed.Demand(), error => reader.Fail(explain(error)));

    public void DemandAfter(T last) => Then(feed => feed.DemandAfter(last));

    public void Close(Exception? failure = null) => Then(feed => feed.Close(failure));

    // Requests are passed on one after the other, in the order in which they came.
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
