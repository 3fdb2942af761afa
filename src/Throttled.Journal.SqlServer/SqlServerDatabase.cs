using Throttled.Journal.Database;
using Throttled.Journal.Relational;
using Throttled.Journal.Rows;
using static Throttled.Journal.SqlServer.SqlServerParameters;

namespace Throttled.Journal.SqlServer;

/// <summary>Runs the engine's statements on SQL Server. Each statement is one transaction.</summary>
internal sealed class SqlServerDatabase : IJournalDatabase
{
    private readonly JournalOptions _options;
    private readonly AdoContext _context;
    private readonly SqlServerSessions _sessions;
    private readonly SqlServerOpenTransactions _openTransactions;
    private readonly SqlServerScans _scans;
    private readonly SqlServerPoll _poll;
    private readonly SqlServerProbe _probe;

    internal SqlServerDatabase(SqlServerSource source, JournalOptions options)
    {
        _options = options;
        Address = source.Address;
        var sql = new SqlServerJournalSql(options.Tables, options.MaxPayloadBytes);
        _context = new(options, new SqlServerDialect(), sql, () => new SqlServerRowDecoder(options.Tables, options.MaxPayloadBytes is not null));
        _openTransactions = new(sql);
        _sessions = new(source, options, () => _openTransactions.AreVisible);
        _scans = new(_context, sql);
        _poll = new(_context, _openTransactions);
        _probe = new(_context, sql, _openTransactions, source.PoolSize);
    }

    // https://opentelemetry.io/docs/specs/semconv/database/sql-server/
    public string System => "microsoft.sql_server";

    public string? Address { get; }

    // An identity never goes back without a command of a user.
    public bool ReusesOrderings => false;

    // The experiments of docs/decisions/0023 have not been run.
    public bool HasTriedEvidence => false;

    public Task<ProbeResult> ProbeAsync(CancellationToken cancellation) =>
        _sessions.RunAsync(session => _probe.RunAsync(session, cancellation), cancellation);

    public Task ReadPagesAsync(ByIdRows rows, CancellationToken cancellation) =>
        RunAsync(session => _scans.ReadPagesAsync(session, rows, cancellation), cancellation);

    public Task ReadOrderedAsync(OrderedRows rows, CancellationToken cancellation) =>
        RunAsync(session => _scans.ReadOrderedAsync(session, rows, cancellation), cancellation);

    public Task ReadFromEndAsync(FromEndRows rows, CancellationToken cancellation) =>
        RunAsync(session => _scans.ReadFromEndAsync(session, rows, cancellation), cancellation);

    public Task ReadIdsAsync(IdsRows rows, CancellationToken cancellation) =>
        RunAsync(session => _scans.ReadIdsAsync(session, rows, cancellation), cancellation);

    public Task<TailStart> ReadStartAsync(CancellationToken cancellation) =>
        _sessions.RunAsync(session => _poll.ReadStartAsync(session, cancellation), cancellation);

    public Task<KeysResult> ReadKeysAsync(KeysRequest request, CancellationToken cancellation) =>
        _sessions.RunAsync(session => _poll.ReadKeysAsync(session, request, cancellation), cancellation);

    public Task ReadRowsAsync(TailRows wanted, CancellationToken cancellation) =>
        RunAsync(session => _poll.ReadRowsAsync(session, wanted, cancellation), cancellation);

    public void ForgetTagHorizon() => _context.Tags.ForgetHorizon();

    public Task ReadTagHorizonAsync(long settled, CancellationToken cancellation) =>
        _options.Tables.TagMode == TagMode.Csv
            ? Task.CompletedTask
            : RunAsync(session => _context.Tags.ReadHorizonAsync(session, settled, cancellation), cancellation);

    public Task<string?> DescribeOldestAsync(IReadOnlySet<string> openTransactions, CancellationToken cancellation) =>
        _sessions.RunAsync(session => SqlServerOpenTransactions.DescribeOldestAsync(session, openTransactions, cancellation), cancellation);

    public Task<IReadOnlyList<BrokenSession>> StillRunningAsync(IReadOnlyList<BrokenSession> broken, CancellationToken cancellation) =>
        _sessions.RunAsync(session => StillRunningAsync(session, broken, cancellation), cancellation);

    public FaultKind Classify(Exception error) => SqlServerFaults.Classify(error);

    public string ReasonOf(Exception error) => SqlServerFaults.ReasonOf(error);

    // SQL Server has no notification that a reader with few rights could receive.
    public Task ListenAsync(Action wake, CancellationToken cancellation) => Task.CompletedTask;

    public ValueTask DisposeAsync() => _sessions.DisposeAsync();

    // To end a session needs a right that a reader should not have. The server ends it when it detects the broken connection.
    private static async Task<IReadOnlyList<BrokenSession>> StillRunningAsync(
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

    private async Task RunAsync(Func<SqlServerSession, Task> work, CancellationToken cancellation) =>
        await _sessions.RunAsync(
            async session =>
            {
                await work(session).ConfigureAwait(false);
                return true;
            },
            cancellation).ConfigureAwait(false);
}
