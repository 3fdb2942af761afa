using Throttled.Journal.Database;

namespace Throttled.Journal.Faults;

/// <summary>
/// Runs one statement on the reserved permit for all requests that wait for it. A request that comes while it runs waits for the next one, because the
/// statement may not see what was committed since it began. Used on the loop, except <see cref="ReadAsync"/>.
/// </summary>
internal sealed class SingleFlight<T>(JournalContext context, ReservedPermit reserved, string kind, Func<IJournalDatabase, CancellationToken, Task<T>> read)
{
    private List<TaskCompletionSource<T>> _running = [];
    private List<TaskCompletionSource<T>> _waiting = [];
    private Func<Exception>? _closed;

    /// <returns>The result of a statement that has seen all rows that were committed before this call.</returns>
    internal Task<T> ReadAsync(CancellationToken cancellation)
    {
        var request = new TaskCompletionSource<T>(TaskCreationOptions.RunContinuationsAsynchronously);
        // Observe the exception of an abandoned call, or it raises UnobservedTaskException.
        _ = request.Task.ContinueWith(
            static read => read.Exception, CancellationToken.None, TaskContinuationOptions.OnlyOnFaulted | TaskContinuationOptions.ExecuteSynchronously,
            TaskScheduler.Default);
        context.Loop.Post(state => Request((TaskCompletionSource<T>)state), request);
        return request.Task.WaitAsync(cancellation);
    }

    /// <summary>Fails all current and future requests.</summary>
    internal void Close(Func<Exception> error)
    {
        _closed = error;
        _running.Concat(_waiting).ToList().ForEach(request => request.TrySetException(error()));
        _waiting.Clear();
    }

    private void Request(TaskCompletionSource<T> request)
    {
        if (_closed is { } closed)
        {
            request.SetException(closed());
            return;
        }
        _waiting.Add(request);
        // Posted, so that requests that come at once share the statement.
        if (_running.Count == 0 && _waiting.Count == 1)
            context.Loop.Post(static flight => ((SingleFlight<T>)flight).Run(), this);
    }

    private void Run()
    {
        if (_waiting.Count == 0)
            return;
        (_running, _waiting) = (_waiting, []);
        T? answer = default;
        reserved.Run(kind, async (database, cancellation) => answer = await read(database, cancellation).ConfigureAwait(false), error => Ended(answer!, error));
    }

    private void Ended(T answer, Exception? error)
    {
        _running.ForEach(request => _ = error is null ? request.TrySetResult(answer) : request.TrySetException(error));
        _running.Clear();
        Run();
    }
}
