using Throttled.Journal.Database;
using Throttled.Journal.Relational;

namespace Throttled.Journal.PostgreSql;

/// <summary>A journal in PostgreSQL.</summary>
internal sealed class PostgreSqlDatabase : AdoDatabase<PostgreSqlSession>
{
    private readonly PostgreSqlListener? _listener;

    internal PostgreSqlDatabase(PostgreSqlSource source, JournalOptions options)
    {
        Address = source.Address;
        Sessions = new(source, options);
        var sql = new PostgreSqlJournalSql(options.Tables, options.MaxPayloadBytes);
        var context = new AdoContext(options, new PostgreSqlDialect(), sql);
        Statements = new(
            context,
            new PostgreSqlScans(context, sql),
            new PostgreSqlPoll(context, sql, new(options.GapTimeout, options.TimeProvider)),
            new PostgreSqlProbe(context, sql, source.PoolSize));
        _listener = options.Notify ? new(source, options.Tables) : null;
    }

    public override string System => "postgresql";

    public override string? Address { get; }

    protected override PostgreSqlSessions Sessions { get; }

    protected override AdoStatements Statements { get; }

    public override void Accept(ProbeResult result)
    {
        if (result.Server is { } server)
            Sessions.Accept(server);
    }

    public override FaultKind Classify(Exception error) => PostgreSqlFaults.Classify(error);

    public override string ReasonOf(Exception error) => PostgreSqlFaults.ReasonOf(error);

    public override Task ListenAsync(Action wake, CancellationToken cancellation) => _listener?.RunAsync(wake, cancellation) ?? Task.CompletedTask;

    // The session of the last probe may be a broken one, and may wait for the same lock.
    protected override async Task<ProbeResult> ProbeAsync(PostgreSqlSession session, CancellationToken cancellation)
    {
        await Sessions.Broken.EndAsync(session, cancellation).ConfigureAwait(false);
        var result = await base.ProbeAsync(session, cancellation).ConfigureAwait(false);
        return result with { Server = session.Identity?.Name };
    }

    protected override Task<string?> DescribeOldestAsync(
        PostgreSqlSession session, IReadOnlySet<string> openTransactions, CancellationToken cancellation) =>
        PostgreSqlOpenTransactions.DescribeOldestAsync(session, openTransactions, cancellation);

    protected override Task<IReadOnlyList<BrokenSession>> StillRunningAsync(
        PostgreSqlSession session, IReadOnlyList<BrokenSession> broken, CancellationToken cancellation) =>
        PostgreSqlBrokenSessions.StillRunningAsync(session, broken, cancellation);
}
