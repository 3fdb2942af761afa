using Npgsql;
using Throttled.Journal.Sql;

namespace Throttled.Journal.PostgreSql;

/// <summary>
/// The open sessions of one journal. It has no bound of its own: the engine's permits are it. The session used last is
/// used next, and those at the bottom are closed when they were not needed for a minute. Thread-safe.
/// </summary>
internal sealed class PostgreSqlSessions : IAsyncDisposable
{
    private static readonly TimeSpan IdleTime = TimeSpan.FromMinutes(1);

    private readonly PostgreSqlSource _source;
    private readonly JournalOptions _options;
    private readonly PostgreSqlSessionSetup _setup;
    private readonly PostgreSqlCancels _cancels;
    private readonly ITimer _timer;
    private readonly Lock _lock = new();
    private readonly List<PostgreSqlSession> _idle = [];
    private Task _closing = Task.CompletedTask;
    private bool _timerIsSet;
    private long _breaks;
    private bool _disposed;

    internal PostgreSqlSessions(PostgreSqlSource source, JournalOptions options)
    {
        _source = source;
        _options = options;
        _setup = new(source, options, () => Interlocked.Read(ref _breaks));
        _cancels = new(source, options.TimeProvider);
        _timer = options.TimeProvider.CreateTimer(
            _ => DropCold(), state: null, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
    }

    internal PostgreSqlLostSessions Lost { get; } = new();

    /// <summary>Runs one call on a session of its own.</summary>
    /// <exception cref="OperationCanceledException">It was cancelled, and the server acknowledged.</exception>
    /// <exception cref="StatementLostException">The connection broke, and the server may still be running the statement.</exception>
    internal async Task<T> RunAsync<T>(Func<PostgreSqlSession, Task<T>> work, CancellationToken cancellation)
    {
        cancellation.ThrowIfCancellationRequested();
        var session = Take() ?? await _setup.OpenAsync(cancellation).ConfigureAwait(false);
        try
        {
            var result = await _cancels.RunAsync(session, work, cancellation).ConfigureAwait(false);
            return session.IsBroken ? throw new NpgsqlException("The connection broke while its statement was stopped.") : result;
        }
        catch (Exception error)
        {
            if (session.IsBroken)
                Interlocked.Increment(ref _breaks);
            session.IsSpent = session.IsBroken || PostgreSqlFaults.IsStalePlan(error);
            if (session.IsSpent)
                Drop(_ => true);
            throw Ended(session, error, cancellation);
        }
        finally
        {
            await ReturnAsync(session).ConfigureAwait(false);
        }
    }

    public async ValueTask DisposeAsync()
    {
        lock (_lock)
            _disposed = true;
        await _timer.DisposeAsync().ConfigureAwait(false);
        Drop(_ => true);
        Task closing;
        lock (_lock)
            closing = _closing;
        await closing.ConfigureAwait(false);
        _cancels.Dispose();
        await _source.DisposeAsync().ConfigureAwait(false);
    }

    // What the server itself reported has ended there, whatever became of the connection.
    private Exception Ended(PostgreSqlSession session, Exception error, CancellationToken cancellation) => error switch
    {
        PostgresException => error,
        _ when session.IsBroken => new StatementLostException(NewlyLost(session), error),
        OperationCanceledException => new OperationCanceledException(error.Message, error, cancellation),
        NpgsqlException { InnerException: TimeoutException timeout } => new TimeoutException(timeout.Message, error),
        _ => error,
    };

    private LostStatement NewlyLost(PostgreSqlSession session)
    {
        if (session.Backend is { } backend)
            Lost.Add(backend);
        return new(session.Backend, _options.StatementTimeout);
    }

    private PostgreSqlSession? Take()
    {
        lock (_lock)
        {
            ObjectDisposedException.ThrowIf(_disposed, this);
            if (_idle.Count == 0)
                return null;
            var session = _idle[^1];
            _idle.RemoveAt(_idle.Count - 1);
            return session;
        }
    }

    private async ValueTask ReturnAsync(PostgreSqlSession session)
    {
        session.IdleSince = _options.TimeProvider.GetTimestamp();
        if (!Keep(session))
            await session.CloseAsync(_source.LeavesSettings).ConfigureAwait(false);
    }

    private bool Keep(PostgreSqlSession session)
    {
        lock (_lock)
        {
            if (_disposed || session.IsSpent)
                return false;
            _idle.Add(session);
            if (!_timerIsSet)
                SetTimer(IdleTime);
            return true;
        }
    }

    private void DropCold()
    {
        Drop(session => IdleFor(session) >= IdleTime);
        lock (_lock)
        {
            _timerIsSet = false;
            // The one at the bottom has been idle for the longest.
            if (_idle.Count > 0)
                SetTimer(IdleTime - IdleFor(_idle[0]));
        }
    }

    private void SetTimer(TimeSpan due)
    {
        _timerIsSet = true;
        _timer.Change(due < TimeSpan.Zero ? TimeSpan.Zero : due, Timeout.InfiniteTimeSpan);
    }

    private TimeSpan IdleFor(PostgreSqlSession session) => _options.TimeProvider.GetElapsedTime(session.IdleSince);

    // Nobody waits for it but the end of the journal: where one connection broke, the others may be dead too.
    private void Drop(Predicate<PostgreSqlSession> which)
    {
        lock (_lock)
        {
            var dropped = _idle.FindAll(which);
            _idle.RemoveAll(which);
            if (dropped.Count > 0)
                _closing = Task.WhenAll(_closing, Task.Run(() => CloseAsync(dropped)));
        }
    }

    private Task CloseAsync(List<PostgreSqlSession> sessions) =>
        Task.WhenAll(sessions.Select(session => session.CloseAsync(_source.LeavesSettings)));
}
