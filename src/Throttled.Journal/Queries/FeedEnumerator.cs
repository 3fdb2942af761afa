using System.Threading.Tasks.Sources;
using Throttled.Journal.Pages;

namespace Throttled.Journal.Queries;

/// <summary>
/// Gives the items of a feed one by one. Within a page that costs no task and no thread; at its end it demands the next.
/// </summary>
internal sealed class FeedEnumerator<T> : IAsyncEnumerator<T>, IValueTaskSource<bool>, IPageReader<T>, IScanning
    where T : class
{
    private readonly IFeed<T> _feed;
    private readonly CancellationTokenRegistration _cancellation;

    // Whoever waits goes on on the thread pool, never on the journal's loop.
    private ManualResetValueTaskSourceCore<bool> _answer = new() { RunContinuationsAsynchronously = true };
    private PageCursor<T> _cursor;

    /// <param name="query">What to read.</param>
    /// <param name="cancellation">Ends the enumeration.</param>
    internal FeedEnumerator(JournalQuery<T> query, CancellationToken cancellation)
    {
        _feed = query.Open(this);
        _cancellation = cancellation.UnsafeRegister(
            static (feed, token) => ((IFeed<T>)feed!).Close(new OperationCanceledException(token)), _feed);
    }

    public T Current => _cursor.Current ?? throw new InvalidOperationException("There is nothing before MoveNextAsync or after the last.");

    public ValueTask<bool> MoveNextAsync() =>
        !_cancellation.Token.IsCancellationRequested && _cursor.MoveNext() ? new(true) : WaitAsync();

    public ValueTask DisposeAsync()
    {
        _cancellation.Dispose();
        _feed.Close();
        return default;
    }

    public Task<Scan?> ScannedAsync()
    {
        if (_feed is not IScanningFeed feed)
            return Task.FromResult<Scan?>(null);
        var answer = new TaskCompletionSource<Scan?>(TaskCreationOptions.RunContinuationsAsynchronously);
        feed.TellScanned(answer);
        return answer.Task;
    }

    void IPageReader<T>.Receive(Page<T> page)
    {
        _cursor.Receive(page);
        _answer.SetResult(true);
    }

    void IPageReader<T>.Complete() => _answer.SetResult(false);

    void IPageReader<T>.Fail(Exception error) => _answer.SetException(error);

    bool IValueTaskSource<bool>.GetResult(short token) => _answer.GetResult(token);

    ValueTaskSourceStatus IValueTaskSource<bool>.GetStatus(short token) => _answer.GetStatus(token);

    void IValueTaskSource<bool>.OnCompleted(
        Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
        _answer.OnCompleted(continuation, state, token, flags);

    private ValueTask<bool> WaitAsync()
    {
        _answer.Reset();
        var answer = new ValueTask<bool>(this, _answer.Version);
        _cursor.Demand(_feed);
        return answer;
    }
}
