using Throttled.Journal.Database;

namespace Throttled.Journal.Faults;

/// <summary>Runs one statement on the reserved permit for all concurrent requests. Used on the loop, except <see cref="ReadAsync"/>.</summary>
internal sealed class SingleFlight<T>(JournalContext context, ReservedPermit reserved, string kind, Func<IJournalDatabase, CancellationToken, Task<T>> read)
{
    private readonly List<TaskCompletionSource<T>> _requests = [];
    private Func<Exception>? _closed;

    /// <returns>The result. If the statement was already running, it may lack rows that were committed since it began.</returns>
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
        Notify(request => request.SetException(error()));
    }

    private void Request(TaskCompletionSource<T> request)
    {
        if (_closed is { } closed)
        {
            request.SetException(closed());
            return;
        }
        _requests.Add(request);
        if (_requests.Count > 1)
            return;
        T? answer = default;
        reserved.Run(kind, async (database, cancellation) => answer = await read(database, cancellation).ConfigureAwait(false), error => Ended(answer!, error));
    }

    private void Ended(T answer, Exception? error) => Notify(request => _ = error is null ? request.TrySetResult(answer) : request.TrySetException(error));

    private void Notify(Action<TaskCompletionSource<T>> notify)
    {
        _requests.ForEach(notify);
        _requests.Clear();
    }
}
