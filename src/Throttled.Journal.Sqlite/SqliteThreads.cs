namespace Throttled.Journal.Sqlite;

/// <summary>
/// Threads with one connection each, and one queue of calls for all of them. SQLite works on the thread that calls it, so calls
/// on the thread pool would block the pool's threads. A thread starts when a call finds no idle thread. It keeps its connection
/// until a call fails in a way that may have broken it. Thread-safe.
/// </summary>
internal sealed class SqliteThreads(string name, int most, SqliteSource source, CallLimits limits) : IAsyncDisposable
{
    private readonly object _lock = new();
    private readonly Queue<SqliteCall> _queue = new();
    private readonly List<Task> _threads = [];
    private int _idle;
    private bool _isDisposed;

    /// <returns>Ends when the statement has ended and the connection is at rest.</returns>
    internal Task<T> RunAsync<T>(Func<SqliteSession, T> work, CancellationToken cancellation)
    {
        var call = new SqliteCall<T>(work, limits, cancellation);
        lock (_lock)
        {
            ObjectDisposedException.ThrowIf(_isDisposed, typeof(SqliteDatabase));
            call.Wait();
            _queue.Enqueue(call);
            if (_queue.Count > _idle && _threads.Count < most)
                StartThread();
            else
                Monitor.Pulse(_lock);
        }
        return call.Task;
    }

    /// <inheritdoc cref="RunAsync{T}"/>
    internal Task RunAsync(Action<SqliteSession> work, CancellationToken cancellation) =>
        RunAsync(
            session =>
            {
                work(session);
                return true;
            },
            cancellation);

    /// <summary>Withdraws the calls in the queue and waits for the running calls, which stop because of their limits.</summary>
    public async ValueTask DisposeAsync()
    {
        SqliteCall[] waiting;
        lock (_lock)
        {
            _isDisposed = true;
            waiting = [.. _queue];
            _queue.Clear();
            Monitor.PulseAll(_lock);
        }
        foreach (var call in waiting)
            call.Withdraw();
        await Task.WhenAll(_threads).ConfigureAwait(false);
    }

    private void StartThread()
    {
        var ended = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        _threads.Add(ended.Task);
        var thread = new Thread(() => Work(ended)) { IsBackground = true, Name = $"{name} {_threads.Count}" };
        thread.UnsafeStart();
    }

    private void Work(TaskCompletionSource ended)
    {
        SqliteSession? session = null;
        while (Next() is { } call)
        {
            if (call.Start())
                session = Run(call, session);
        }
        session?.Dispose();
        ended.SetResult();
    }

    private SqliteCall? Next()
    {
        lock (_lock)
        {
            while (_queue.Count == 0 && !_isDisposed)
            {
                _idle++;
                Monitor.Wait(_lock);
                _idle--;
            }
            return _queue.TryDequeue(out var call) ? call : null;
        }
    }

    private SqliteSession? Run(SqliteCall call, SqliteSession? session)
    {
        try
        {
            session ??= SqliteSession.Open(source);
            session.Run(call);
            call.Complete();
            return session;
        }
        catch (Exception error)
        {
            if (SqliteFaults.MayHaveBroken(error))
            {
                session?.Dispose();
                session = null;
            }
            call.Fail(SqliteFaults.IsDamage(error) ? OfTheWhole() ?? error : error);
            return session;
        }
    }

    // If the open file is overwritten, every page is damaged. A new connection, which has read no page yet, reports that.
    private Exception? OfTheWhole()
    {
        try
        {
            SqliteSession.Open(source).Dispose();
            return null;
        }
        catch (Exception error)
        {
            return error;
        }
    }
}
