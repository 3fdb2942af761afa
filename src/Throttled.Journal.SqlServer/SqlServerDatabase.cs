using Throttled.Journal.Database;
using Throttled.Journal.Relational;
using static Throttled.Journal.SqlServer.SqlServerParameters;

namespace Throttled.Journal.SqlServer;

/// <summary>A journal in SQL Server.</summary>
internal sealed class SqlServerDatabase : AdoDatabase<SqlServerSession>
{
    internal SqlServerDatabase(SqlServerSource source, JournalOptions options)
    {
        Address = source.Address;
        var sql = new SqlServerJournalSql(options.Tables, options.MaxPayloadBytes);
        var openTransactions = new SqlServerOpenTransactions(sql);
        Sessions = new SqlServerSessions(source, options, () => openTransactions.AreVisible);
        var context = new AdoContext(options, new SqlServerDialect(), sql);
        Statements = new(
            context,
            new SqlServerScans(context, sql),
            new SqlServerPoll(context, openTransactions),
            new SqlServerProbe(context, sql, openTransactions, source.PoolSize));
    }

    // https://opentelemetry.io/docs/specs/semconv/database/sql-server/
    public override string System => "microsoft.sql_server";

    public override string? Address { get; }

    // The experiments of docs/decisions/0023 have not been run.
    public override bool HasTriedEvidence => false;

    protected override AdoSessions<SqlServerSession> Sessions { get; }

    protected override AdoStatements Statements { get; }

    public override FaultKind Classify(Exception error) => SqlServerFaults.Classify(error);

    public override string ReasonOf(Exception error) => SqlServerFaults.ReasonOf(error);

    // SQL Server has no notification that a reader with few rights could receive.
    public override Task ListenAsync(Action wake, CancellationToken cancellation) => Task.CompletedTask;

    protected override Task<string?> DescribeOldestAsync(
        SqlServerSession session, IReadOnlySet<string> openTransactions, CancellationToken cancellation) =>
        SqlServerOpenTransactions.DescribeOldestAsync(session, openTransactions, cancellation);

    // To end a session needs a right that a reader should not have. The server ends it when it detects the broken connection.
    protected override async Task<IReadOnlyList<BrokenSession>> StillRunningAsync(
        SqlServerSession session, IReadOnlyList<BrokenSession> broken, CancellationToken cancellation)
    {
        var running = new HashSet<string?>(StringComparer.Ordinal);
        await session.ReadAsync(
            SqlServerCatalogSql.StillRunning,
            row => running.Add(row.GetString(0)) || true,
            cancellation,
            List(broken.Select(one => one.Backend!))).ConfigureAwait(false);
        return [.. broken.Where(one => running.Contains(one.Backend))];
    }
}
