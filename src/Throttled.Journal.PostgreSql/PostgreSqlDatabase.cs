using Throttled.Journal.Database;
using Throttled.Journal.Relational;
using Throttled.Journal.Rows;

namespace Throttled.Journal.PostgreSql;

/// <summary>Runs the engine's statements on PostgreSQL. Each statement is one transaction.</summary>
internal sealed class PostgreSqlDatabase : IJournalDatabase
{
    private readonly JournalOptions _options;
    private readonly AdoContext _context;
    private readonly PostgreSqlSessions _sessions;
    private readonly PostgreSqlScans _scans;
    private readonly PostgreSqlPoll _poll;
    private readonly PostgreSqlProbe _probe;
    private readonly PostgreSqlListener _listener;

    internal PostgreSqlDatabase(PostgreSqlSource source, JournalOptions options)
    {
        _options = options;
        Address = source.Address;
        var sql = new PostgreSqlJournalSql(options.Tables, options.MaxPayloadBytes);
        _context = new(options, new PostgreSqlDialect(), sql, () => new PostgreSqlRowDecoder(options.Tables, options.MaxPayloadBytes is not null));
        _sessions = new(source, options);
        _scans = new(_context, sql);
        _poll = new(_context, new(options.GapTimeout, options.TimeProvider));
        _probe = new(_context, sql, source.PoolSize);
        _listener = new(source, options.Tables);
    }

    public string System => "postgresql";

    public string? Address { get; }

    // A sequence never goes back without a command of a user.
    public bool ReusesOrderings => false;

    // The session of the last probe may be a broken one, and may wait for the same lock.
    public Task<ProbeResult> ProbeAsync(CancellationToken cancellation) => _sessions.ProbeAsync(
        async session =>
        {
            await _sessions.Broken.EndAsync(session, cancellation).ConfigureAwait(false);
            var result = await _probe.RunAsync(session, cancellation).ConfigureAwait(false);
            return result with { Server = session.Identity?.Name };
        },
        cancellation);

    public void Accept(ProbeResult result)
    {
        if (result.Server is { } server)
            _sessions.Accept(server);
    }

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
        _sessions.RunAsync(session => PostgreSqlOpenTransactions.DescribeOldestAsync(session, openTransactions, cancellation), cancellation);

    public Task<IReadOnlyList<BrokenSession>> StillRunningAsync(
        IReadOnlyList<BrokenSession> broken, CancellationToken cancellation) =>
        _sessions.RunAsync(session => PostgreSqlBrokenSessions.StillRunningAsync(session, broken, cancellation), cancellation);

    public FaultKind Classify(Exception error) => PostgreSqlFaults.Classify(error);

    public string ReasonOf(Exception error) => PostgreSqlFaults.ReasonOf(error);

    public Task ListenAsync(Action wake, CancellationToken cancellation) =>
        _options.Notify ? _listener.RunAsync(wake, cancellation) : Task.CompletedTask;

    public ValueTask DisposeAsync() => _sessions.DisposeAsync();

    private async Task RunAsync(Func<PostgreSqlSession, Task> work, CancellationToken cancellation) =>
        await _sessions.RunAsync(
            async session =>
            {
                await work(session).ConfigureAwait(false);
                return true;
            },
            cancellation).ConfigureAwait(false);
}
