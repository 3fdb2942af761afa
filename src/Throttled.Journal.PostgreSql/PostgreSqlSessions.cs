using Npgsql;
using Throttled.Journal.Database;
using Throttled.Journal.Relational;

namespace Throttled.Journal.PostgreSql;

/// <summary>Runs the calls of one journal, each on one session, and keeps the sessions open. Thread-safe.</summary>
internal sealed class PostgreSqlSessions : IAsyncDisposable
{
    private readonly PostgreSqlSource _source;
    private readonly JournalOptions _options;
    private readonly PostgreSqlSessionSetup _setup;
    private readonly PostgreSqlCancellation _cancellation;
    private readonly KnownServers _servers;
    private readonly SessionPool<PostgreSqlSession> _pool;

    internal PostgreSqlSessions(PostgreSqlSource source, JournalOptions options)
    {
        _source = source;
        _options = options;
        _servers = new(options.TimeProvider);
        _setup = new(source, options, _servers);
        _cancellation = new(source, options.TimeProvider);
        _pool = new(options.TimeProvider, session => session.CloseAsync(source.LeavesSettings));
    }

    internal PostgreSqlBrokenSessions Broken { get; } = new();

    /// <summary>From now on, calls run on this server; probes may use another.</summary>
    internal void Accept(string server) => _servers.Accept(server);

    /// <summary>Runs a call on one session.</summary>
    /// <exception cref="OperationCanceledException">The call was cancelled, and the server confirmed it.</exception>
    /// <exception cref="SessionBrokenException">The connection broke, and the server may still be running the statement.</exception>
    /// <exception cref="OtherServerException">Another server answered than the one that is read.</exception>
    internal Task<T> RunAsync<T>(Func<PostgreSqlSession, Task<T>> work, CancellationToken cancellation) => RunAsync(isProbe: false, work, cancellation);

    /// <summary>Runs a call on any server that answers.</summary>
    /// <exception cref="SeveralServersException">Several servers answered in turn.</exception>
    internal Task<T> ProbeAsync<T>(Func<PostgreSqlSession, Task<T>> work, CancellationToken cancellation) => RunAsync(isProbe: true, work, cancellation);

    private async Task<T> RunAsync<T>(bool isProbe, Func<PostgreSqlSession, Task<T>> work, CancellationToken cancellation)
    {
        cancellation.ThrowIfCancellationRequested();
        var session = await TakeAsync(isProbe).ConfigureAwait(false) ?? await OpenAsync(isProbe, cancellation).ConfigureAwait(false);
        session.Begin(isProbe);
        var mustDrop = false;
        try
        {
            var result = await _cancellation.RunAsync(session, work, cancellation).ConfigureAwait(false);
            return session.IsBroken ? throw new NpgsqlException("The connection broke while its statement was stopped.") : result;
        }
        catch (Exception error)
        {
            mustDrop = session.IsBroken || PostgreSqlFaults.IsStalePlan(error);
            throw Ended(session, error, cancellation);
        }
        finally
        {
            await (mustDrop ? _pool.DropAsync(session) : _pool.ReturnAsync(session)).ConfigureAwait(false);
        }
    }

    public async ValueTask DisposeAsync()
    {
        await _pool.DisposeAsync().ConfigureAwait(false);
        _cancellation.Dispose();
        await _source.DisposeAsync().ConfigureAwait(false);
    }

    // A failure here affects all statements, so it must not be taken for the fault of one of them.
    private async ValueTask<PostgreSqlSession> OpenAsync(bool isProbe, CancellationToken cancellation)
    {
        try
        {
            return await _setup.OpenAsync(isProbe, cancellation).ConfigureAwait(false);
        }
        catch (Exception error) when (!cancellation.IsCancellationRequested && (error is OperationCanceledException || PostgreSqlFaults.IsOfOpeningOnly(error)))
        {
            throw new OpeningException(PostgreSqlFaults.ReasonOf(error), error);
        }
    }

    private async ValueTask<PostgreSqlSession?> TakeAsync(bool isProbe)
    {
        if (isProbe && _servers.IsDoubted)
            return null;
        while (_pool.Take() is { } session)
        {
            if (session.IsAccepted)
                return session;
            await session.CloseAsync(_source.LeavesSettings).ConfigureAwait(false);
        }
        return null;
    }

    // If the server itself reported the error, its statement has ended, whatever happened to the connection.
    private Exception Ended(PostgreSqlSession session, Exception error, CancellationToken cancellation) => error switch
    {
        PostgresException => error,
        _ when session.IsBroken => new SessionBrokenException(NewlyBroken(session), error),
        OperationCanceledException => new OperationCanceledException(error.Message, error, cancellation),
        NpgsqlException { InnerException: TimeoutException timeout } => new TimeoutException(timeout.Message, error),
        _ => error,
    };

    private BrokenSession NewlyBroken(PostgreSqlSession session)
    {
        if (session.Backend is { } backend)
            Broken.Add(backend);
        return new(session.Backend, _options.StatementTimeout);
    }
}
