using Throttled.Journal.Sql;
using static Throttled.Journal.SqlServer.SqlServerParameters;

namespace Throttled.Journal.SqlServer;

/// <summary>Runs the engine's statements on SQL Server. Each is a transaction of its own.</summary>
internal sealed class SqlServerDatabase : IJournalDatabase
{
    private readonly JournalOptions _options;
    private readonly SqlServerSessions _sessions;
    private readonly SqlServerHolders _holders;
    private readonly SqlServerTags _tags;
    private readonly SqlServerScans _scans;
    private readonly SqlServerTail _tail;
    private readonly SqlServerProbe _probe;

    internal SqlServerDatabase(SqlServerSource source, JournalOptions options)
    {
        _options = options;
        Address = source.Address;
        var statements = new SqlServerStatements(options.Tables, options.MaxPayloadBytes);
        var rows = new SqlServerRows(options.Tables, leavesOut: options.MaxPayloadBytes is not null);
        _holders = new(statements);
        _sessions = new(source, options, () => _holders.AreTold);
        _tags = new(statements);
        _scans = new(options.Tables, statements, rows, _tags);
        _tail = new(options.Tables, statements, rows, _tags, _holders);
        _probe = new(statements, _tags, _holders, options, source.PoolSize);
    }

    // https://opentelemetry.io/docs/specs/semconv/database/sql-server/
    public string System => "microsoft.sql_server";

    public string? Address { get; }

    // An identity never goes back by itself.
    public bool ReusesOrderings => false;

    // The experiments of docs/decisions/0023 have not been run.
    public bool HasTriedEvidence => false;

    public Task<ServerFacts> ProbeAsync(CancellationToken cancellation) =>
        _sessions.RunAsync(session => _probe.RunAsync(session, cancellation), cancellation);

    public Task ReadPagesAsync(PageStatement statement, CancellationToken cancellation) =>
        RunAsync(session => _scans.ReadPagesAsync(session, statement, cancellation), cancellation);

    public Task ReadOrderedAsync(OrderedStatement statement, CancellationToken cancellation) =>
        RunAsync(session => _scans.ReadOrderedAsync(session, statement, cancellation), cancellation);

    public Task ReadFromEndAsync(FromEndStatement statement, CancellationToken cancellation) =>
        RunAsync(session => _scans.ReadFromEndAsync(session, statement, cancellation), cancellation);

    public Task ReadIdsAsync(IdsStatement statement, CancellationToken cancellation) =>
        RunAsync(session => _scans.ReadIdsAsync(session, statement, cancellation), cancellation);

    public Task<TailAnchor> ReadAnchorAsync(CancellationToken cancellation) =>
        _sessions.RunAsync(session => _tail.ReadAnchorAsync(session, cancellation), cancellation);

    public Task<KeysFound> ReadKeysAsync(KeysQuery query, CancellationToken cancellation) =>
        _sessions.RunAsync(session => _tail.ReadKeysAsync(session, query, cancellation), cancellation);

    public Task ReadRowsAsync(RowsStatement statement, CancellationToken cancellation) =>
        RunAsync(session => _tail.ReadRowsAsync(session, statement, cancellation), cancellation);

    public void ForgetTagHorizon() => _tags.ForgetHorizon();

    public Task ReadTagHorizonAsync(long settled, CancellationToken cancellation) =>
        _options.Tables.TagMode == TagMode.Csv
            ? Task.CompletedTask
            : RunAsync(session => _tags.ReadHorizonAsync(session, settled, cancellation), cancellation);

    public Task<string?> DescribeOldestAsync(IReadOnlySet<string> holders, CancellationToken cancellation) =>
        _sessions.RunAsync(session => SqlServerHolders.DescribeOldestAsync(session, holders, cancellation), cancellation);

    public Task<IReadOnlyList<LostStatement>> StillRunningAsync(IReadOnlyList<LostStatement> lost, CancellationToken cancellation) =>
        _sessions.RunAsync(session => StillRunningAsync(session, lost, cancellation), cancellation);

    public FaultKind Classify(Exception error) => SqlServerFaults.Classify(error);

    public string ReasonOf(Exception error) => SqlServerFaults.ReasonOf(error);

    // Nothing that a reader with few rights could listen to.
    public Task ListenAsync(Action wake, CancellationToken cancellation) => Task.CompletedTask;

    public ValueTask DisposeAsync() => _sessions.DisposeAsync();

    // To end a session takes a right that a reader should not have; the server ends it when it finds that nobody is there.
    private static async Task<IReadOnlyList<LostStatement>> StillRunningAsync(
        SqlServerSession session, IReadOnlyList<LostStatement> lost, CancellationToken cancellation)
    {
        var running = new HashSet<string?>(StringComparer.Ordinal);
        await session.ReadAsync(
            SqlServerServerStatements.StillRunning,
            row => running.Add(row.GetString(0)) || true,
            cancellation,
            List(lost.Select(one => one.Backend!))).ConfigureAwait(false);
        return [.. lost.Where(one => running.Contains(one.Backend))];
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
