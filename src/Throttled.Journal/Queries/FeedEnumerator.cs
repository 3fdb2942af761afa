using System.Threading.Tasks.Sources;
using Throttled.Journal.Rows;

namespace Throttled.Journal.Queries;

/// <summary>Returns the items of a feed one by one. Within a page, this needs no task and no thread. At the end of a page, it demands the next one.</summary>
internal sealed class FeedEnumerator<T> : IAsyncEnumerator<T>, IValueTaskSource<bool>, IPageReader<T>, IScanning
    where T : class
{
    private readonly IFeed<T> _feed;
    private readonly CancellationTokenRegistration _cancellation;

    // The awaiting code continues on the thread pool, never on the journal's loop.
    private ManualResetValueTaskSourceCore<bool> _answer = new() { RunContinuationsAsynchronously = true };
    private PageCursor<T> _cursor;

    internal FeedEnumerator(JournalQuery<T> query, CancellationToken cancellation)
    {
        _feed = query.Open(this);
        _cancellation = cancellation.UnsafeRegister(static (feed, token) => ((IFeed<T>)feed!).Close(new OperationCanceledException(token)), _feed);
    }

    public T Current => _cursor.Current ?? throw new InvalidOperationException("There is no current item before the first MoveNextAsync or after the last item.");

    public ValueTask<bool> MoveNextAsync() => !_cancellation.Token.IsCancellationRequested && _cursor.MoveNext() ? new(true) : WaitAsync();

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
        feed.ReportScanned(answer);
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

/// <summary>
/// The position of a reader in its page. It keeps no item alive while the query is idle. Not thread-safe: the loop sets a page only while the reader
/// waits for it.
/// </summary>
internal struct PageCursor<T>
    where T : class
{
    private Page<T>? _page;
    private int _index;

    /// <summary>The last item that was read; null if there is none, or if the reader has left its page.</summary>
    internal T? Current { get; private set; }

    /// <summary>Whether the current item is the last one of the query.</summary>
    internal readonly bool IsAtEnd => _page is { EndsQuery: true } page && _index == page.Count;

    /// <summary>The number of items of the page after the current one.</summary>
    internal readonly int Left => _page is { } page ? page.Count - _index : 0;

    /// <summary>Takes a page and reads its first item. So each page advances the reader, even if the page is reclaimed at once.</summary>
    internal void Receive(Page<T> page)
    {
        _page = page;
        _index = 1;
        Current = page.TakeFirst();
    }

    /// <returns>False if the page has no further item; the reader must then call <see cref="Demand"/>.</returns>
    internal bool MoveNext()
    {
        if (_page is null)
            return false;
        if (_index == _page.Count)
            _page = null;
        else if (_page[_index] is { } next)
        {
            _index++;
            Current = next;
            return true;
        }
        return false;
    }

    /// <summary>Leaves the page and demands the next one.</summary>
    internal void Demand(IFeed<T> feed)
    {
        // If there still is a page, it was reclaimed before the reader reached its end, or the reader does not want the rest.
        var last = _page is null ? null : Current;
        // An idle query must not keep its last item alive.
        Current = null;
        _page = null;
        if (last is not null)
            feed.DemandAfter(last);
        else
            feed.Demand();
    }
}
