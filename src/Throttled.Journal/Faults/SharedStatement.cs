using Throttled.Journal.Sql;

namespace Throttled.Journal.Faults;

/// <summary>A statement, beside those of the queries, for all who request it at the time. On the loop, but for the caller.</summary>
/// <param name="context">The journal's.</param>
/// <param name="reserved">Runs the statement.</param>
/// <param name="kind">What it is, for the metrics.</param>
/// <param name="read">The statement; called beside the loop.</param>
internal sealed class SharedStatement<T>(
    JournalContext context, ReservedStatements reserved, string kind, Func<IJournalDatabase, CancellationToken, Task<T>> read)
{
    private readonly List<TaskCompletionSource<T>> _asks = [];
    private Func<Exception>? _closed;

    /// <returns>What it says. What was committed since it began may be missing.</returns>
    internal Task<T> ReadAsync(CancellationToken cancellation)
    {
        var ask = new TaskCompletionSource<T>(TaskCreationOptions.RunContinuationsAsynchronously);
        // Observe the exception of an abandoned call, or it raises UnobservedTaskException.
        _ = ask.Task.ContinueWith(
            static read => read.Exception, CancellationToken.None, TaskContinuationOptions.OnlyOnFaulted | TaskContinuationOptions.ExecuteSynchronously,
            TaskScheduler.Default);
        context.Loop.Post(state => Ask((TaskCompletionSource<T>)state), ask);
        return ask.Task.WaitAsync(cancellation);
    }

    /// <summary>Fails all who wait, and who request it from now on.</summary>
    internal void Close(Func<Exception> error)
    {
        _closed = error;
        Tell(ask => ask.SetException(error()));
    }

    private void Ask(TaskCompletionSource<T> ask)
    {
        if (_closed is { } closed)
        {
            ask.SetException(closed());
            return;
        }
        _asks.Add(ask);
        if (_asks.Count > 1)
            return;
        T? answer = default;
        reserved.Run(
            kind,
            async (database, cancellation) => answer = await read(database, cancellation).ConfigureAwait(false),
            error => Ended(answer!, error));
    }

    private void Ended(T answer, Exception? error) =>
        Tell(ask => _ = error is null ? ask.TrySetResult(answer) : ask.TrySetException(error));

    private void Tell(Action<TaskCompletionSource<T>> tell)
    {
        _asks.ForEach(tell);
        _asks.Clear();
    }
}
