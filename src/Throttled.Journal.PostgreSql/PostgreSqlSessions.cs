using Npgsql;
using Throttled.Journal.Database;
using Throttled.Journal.Relational;

namespace Throttled.Journal.PostgreSql;

/// <summary>The sessions of one journal. All calls but probes run on one server. Thread-safe.</summary>
internal sealed class PostgreSqlSessions : AdoSessions<PostgreSqlSession>
{
    private readonly PostgreSqlSource _source;
    private readonly JournalOptions _options;
    private readonly PostgreSqlSessionSetup _setup;
    private readonly PostgreSqlCancellation _cancellation;
    private readonly KnownServers _servers;

    internal PostgreSqlSessions(PostgreSqlSource source, JournalOptions options)
        : base(options.TimeProvider, session => session.CloseAsync(source.LeavesSettings))
    {
        _source = source;
        _options = options;
        _servers = new(options.TimeProvider);
        _setup = new(source, options, _servers);
        _cancellation = new(source, options.TimeProvider);
    }

    internal PostgreSqlBrokenSessions Broken { get; } = new();

    /// <summary>From now on, calls run on this server; probes may use another.</summary>
    internal void Accept(string server) => _servers.Accept(server);

    public override async ValueTask DisposeAsync()
    {
        await base.DisposeAsync().ConfigureAwait(false);
        _cancellation.Dispose();
        await _source.DisposeAsync().ConfigureAwait(false);
    }

    protected override async ValueTask<PostgreSqlSession?> TakeAsync(bool isProbe)
    {
        if (isProbe && _servers.IsDoubted)
            return null;
        while (Pool.Take() is { } session)
        {
            if (session.IsAccepted)
                return session;
            await session.CloseAsync(_source.LeavesSettings).ConfigureAwait(false);
        }
        return null;
    }

    /// <exception cref="OtherServerException">The call is no probe, and another server answered than the one that is read.</exception>
    /// <exception cref="SeveralServersException">The call is a probe, and several servers answered in turn.</exception>
    protected override ValueTask<PostgreSqlSession> OpenAsync(bool isProbe, CancellationToken cancellation) => _setup.OpenAsync(isProbe, cancellation);

    protected override bool IsOfOpeningOnly(Exception error) => error is OperationCanceledException || PostgreSqlFaults.IsOfOpeningOnly(error);

    protected override string ReasonOf(Exception error) => PostgreSqlFaults.ReasonOf(error);

    protected override void Begin(PostgreSqlSession session, bool isProbe) => session.Begin(isProbe);

    // Behind a pooler, a session has no fixed process. The cancel would stop another client's statement.
    protected override bool CanEnforceCancel(PostgreSqlSession session) => session.Backend is not null;

    protected override Task EnforceCancelAsync(PostgreSqlSession session, CancellationToken ended) => _cancellation.RunAsync(session.Backend!, ended);

    protected override void ThrowIfBroken(PostgreSqlSession session)
    {
        if (session.IsBroken)
            throw new NpgsqlException("The connection broke while its statement was stopped.");
    }

    protected override bool IsStale(Exception error) => PostgreSqlFaults.IsStalePlan(error);

    // If the server itself reported the error, its statement has ended, whatever happened to the connection.
    protected override Exception Ended(PostgreSqlSession session, Exception error, CancellationToken cancellation) => error switch
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
