using Throttled.Journal.Sql;

namespace Throttled.Journal.PostgreSql;

/// <summary>Runs the engine's statements on PostgreSQL. Each is a transaction of its own.</summary>
internal sealed class PostgreSqlDatabase : IJournalDatabase
{
    private readonly JournalOptions _options;
    private readonly PostgreSqlSessions _sessions;
    private readonly PostgreSqlTags _tags;
    private readonly PostgreSqlScans _scans;
    private readonly PostgreSqlTail _tail;
    private readonly PostgreSqlProbe _probe;
    private readonly PostgreSqlListener _listener;

    internal PostgreSqlDatabase(PostgreSqlSource source, JournalOptions options)
    {
        _options = options;
        Address = source.Address;
        var statements = new PostgreSqlStatements(options.Tables, options.MaxPayloadBytes);
        var rows = new PostgreSqlRows(options.Tables, leavesOut: options.MaxPayloadBytes is not null);
        _tags = new(statements);
        _sessions = new(source, options);
        _scans = new(options.Tables, statements, rows, _tags);
        _tail = new(options, statements, rows, _tags, new(options.GapTimeout, options.TimeProvider));
        _probe = new(statements, _tags, options, source.PoolSize);
        _listener = new(source, options.Tables);
    }

    public string System => "postgresql";

    public string? Address { get; }

    // A sequence never goes back by itself.
    public bool ReusesOrderings => false;

    // The session of the last probe may be among the broken ones, and wait for the same lock.
    public Task<ServerFacts> ProbeAsync(CancellationToken cancellation) => _sessions.ProbeAsync(
        async session =>
        {
            await _sessions.Lost.EndAsync(session, cancellation).ConfigureAwait(false);
            var facts = await _probe.RunAsync(session, cancellation).ConfigureAwait(false);
            return facts with { Server = session.Identity?.Name };
        },
        cancellation);

    public void Accept(ServerFacts facts)
    {
        if (facts.Server is { } server)
            _sessions.Accept(server);
    }

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
        _sessions.RunAsync(session => PostgreSqlHolders.DescribeOldestAsync(session, holders, cancellation), cancellation);

    public Task<IReadOnlyList<LostStatement>> StillRunningAsync(
        IReadOnlyList<LostStatement> lost, CancellationToken cancellation) =>
        _sessions.RunAsync(session => PostgreSqlLostSessions.StillRunningAsync(session, lost, cancellation), cancellation);

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
