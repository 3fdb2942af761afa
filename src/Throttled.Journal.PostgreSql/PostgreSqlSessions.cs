using Npgsql;
using Throttled.Journal.Sql;

namespace Throttled.Journal.PostgreSql;

/// <summary>Runs the calls of one journal, each on a session of its own, and keeps the sessions open. Thread-safe.</summary>
internal sealed class PostgreSqlSessions : IAsyncDisposable
{
    private readonly PostgreSqlSource _source;
    private readonly JournalOptions _options;
    private readonly PostgreSqlSessionSetup _setup;
    private readonly PostgreSqlCancels _cancels;
    private readonly IdleSessions<PostgreSqlSession> _idle;
    private long _breaks;

    internal PostgreSqlSessions(PostgreSqlSource source, JournalOptions options)
    {
        _source = source;
        _options = options;
        _setup = new(source, options, () => Interlocked.Read(ref _breaks));
        _cancels = new(source, options.TimeProvider);
        _idle = new(options.TimeProvider, session => session.CloseAsync(source.LeavesSettings));
    }

    internal PostgreSqlLostSessions Lost { get; } = new();

    /// <summary>Runs one call on a session of its own.</summary>
    /// <exception cref="OperationCanceledException">It was cancelled, and the server acknowledged.</exception>
    /// <exception cref="StatementLostException">The connection broke, and the server may still be running the statement.</exception>
    internal async Task<T> RunAsync<T>(Func<PostgreSqlSession, Task<T>> work, CancellationToken cancellation)
    {
        cancellation.ThrowIfCancellationRequested();
        var session = _idle.Take() ?? await _setup.OpenAsync(cancellation).ConfigureAwait(false);
        var isSpent = false;
        try
        {
            var result = await _cancels.RunAsync(session, work, cancellation).ConfigureAwait(false);
            return session.IsBroken ? throw new NpgsqlException("The connection broke while its statement was stopped.") : result;
        }
        catch (Exception error)
        {
            if (session.IsBroken)
                Interlocked.Increment(ref _breaks);
            isSpent = session.IsBroken || PostgreSqlFaults.IsStalePlan(error);
            throw Ended(session, error, cancellation);
        }
        finally
        {
            await (isSpent ? _idle.DropAsync(session) : _idle.ReturnAsync(session)).ConfigureAwait(false);
        }
    }

    public async ValueTask DisposeAsync()
    {
        await _idle.DisposeAsync().ConfigureAwait(false);
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
}
