using Npgsql;
using NpgsqlTypes;
using Throttled.Journal.Sql;

namespace Throttled.Journal.PostgreSql;

/// <summary>Runs the engine's statements on PostgreSQL. Each is a transaction of its own.</summary>
internal sealed class PostgreSqlDatabase : IJournalDatabase
{
    private const NpgsqlDbType TextArray = NpgsqlDbType.Array | NpgsqlDbType.Text;
    private const NpgsqlDbType LongArray = NpgsqlDbType.Array | NpgsqlDbType.Bigint;
    private const NpgsqlDbType IntArray = NpgsqlDbType.Array | NpgsqlDbType.Integer;

    private readonly JournalOptions _options;
    private readonly PostgreSqlStatements _statements;
    private readonly PostgreSqlSessions _sessions;
    private readonly PostgreSqlRows _rows;
    private readonly PostgreSqlProbe _probe;
    private readonly PostgreSqlListener _listener;

    internal PostgreSqlDatabase(PostgreSqlSource source, JournalOptions options)
    {
        _options = options;
        _statements = new(options.Tables);
        _sessions = new(source, options);
        _rows = new(options.Tables, _statements);
        _probe = new(_statements, options, source.PoolSize);
        _listener = new(source, options.Tables);
    }

    public string System => "postgresql";

    // A sequence never goes back by itself.
    public bool ReusesOrderings => false;

    public Task<ServerFacts> ProbeAsync(CancellationToken cancellation) =>
        _sessions.RunAsync(session => _probe.RunAsync(session, cancellation), cancellation);

    public Task ReadPagesAsync(PageStatement statement, CancellationToken cancellation) =>
        RunAsync(session => ReadPagesAsync(session, statement, cancellation), cancellation);

    public Task<TailAnchor> ReadAnchorAsync(CancellationToken cancellation) => _sessions.RunAsync(
        async session =>
        {
            var last = await ReadKeysAsync(session, _statements.LastKey, cancellation).ConfigureAwait(false);
            var holders = await ReadHoldersAsync(session, cancellation).ConfigureAwait(false);
            return new TailAnchor(last.Count == 0 ? null : last[0], holders);
        },
        cancellation);

    public Task<KeysFound> ReadKeysAsync(KeysQuery query, CancellationToken cancellation) =>
        _sessions.RunAsync(session => ReadKeysAsync(session, query, cancellation), cancellation);

    public Task ReadRowsAsync(RowsStatement statement, CancellationToken cancellation) =>
        RunAsync(session => ReadRowsAsync(session, statement, cancellation), cancellation);

    public Task ReadTagHorizonAsync(long settled, CancellationToken cancellation) =>
        _options.Tables.TagMode == TagMode.Csv
            ? Task.CompletedTask
            : RunAsync(session => _rows.ReadHorizonAsync(session, settled, cancellation), cancellation);

    public Task<IReadOnlyList<LostStatement>> StillRunningAsync(
        IReadOnlyList<LostStatement> lost, CancellationToken cancellation) =>
        _sessions.RunAsync(session => StillRunningAsync(session, lost, cancellation), cancellation);

    public FaultKind Classify(Exception error) => PostgreSqlFaults.Classify(error);

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

    private async Task ReadPagesAsync(PostgreSqlSession session, PageStatement statement, CancellationToken cancellation)
    {
        var command = await session.CommandAsync(_statements.Pages, cancellation, Members(statement)).ConfigureAwait(false);
        var texts = new LastText();
        await PostgreSqlSession.ReadAsync(command, Take, cancellation).ConfigureAwait(false);
        await _rows.ReadTagsAsync(session, statement.EventsFrom, cancellation).ConfigureAwait(false);

        bool Take(NpgsqlDataReader row)
        {
            var member = (int)row.GetInt64(0) - 1;
            // Columns in their order: going back in a row costs the driver a new search.
            var ordering = row.GetInt64(1);
            var goesOn = PostgreSqlRows.IsDeleted(row, first: 1)
                ? statement.AddDeleted(member, PostgreSqlRows.SequenceNumber(row, first: 1))
                : statement.Add(member, _rows.Event(row, first: 1, texts, new(ordering, statement.Asks[member].PersistenceId)));
            // At its last row the statement ends by itself; to cancel it would cost a connection.
            return goesOn || statement.Rows >= statement.MaxRows;
        }
    }

    private static NpgsqlParameter[] Members(PageStatement statement)
    {
        var asks = statement.Asks;
        var (ids, limits) = (new string[asks.Count], new int[asks.Count]);
        var (from, to) = (new long[asks.Count], new long[asks.Count]);
        for (var i = 0; i < asks.Count; i++)
            (ids[i], from[i], to[i], limits[i]) = (asks[i].PersistenceId, asks[i].Range.From, asks[i].Range.To, asks[i].Limit);
        return [Of(ids, TextArray), Of(from, LongArray), Of(to, LongArray), Of(limits, IntArray), Of(statement.MaxRows)];
    }

    private async Task<KeysFound> ReadKeysAsync(PostgreSqlSession session, KeysQuery query, CancellationToken cancellation)
    {
        // Statements of their own, one after the other: each sees what was committed before it, and the holders are looked
        // at after the keys.
        var text = query.Inclusive ? _statements.KeysFrom : _statements.KeysAbove;
        var above = await ReadKeysAsync(session, text, cancellation, Of(query.After), Of(query.Limit)).ConfigureAwait(false);
        var late = query.Gaps.Count == 0
            ? []
            : await ReadKeysAsync(session, _statements.KeysInGaps, cancellation, Gaps(query)).ConfigureAwait(false);
        var holders = query.WithHolders ? await ReadHoldersAsync(session, cancellation).ConfigureAwait(false) : null;
        return new(above, late, holders);
    }

    private static NpgsqlParameter[] Gaps(KeysQuery query) =>
    [
        Of(query.Gaps.Select(gap => gap.First).ToArray(), LongArray),
        Of(query.Gaps.Select(gap => gap.Last).ToArray(), LongArray),
        Of(query.Limit),
    ];

    private static async Task<List<JournalKey>> ReadKeysAsync(
        PostgreSqlSession session, string text, CancellationToken cancellation, params NpgsqlParameter[] parameters)
    {
        List<JournalKey> keys = [];
        var command = await session.CommandAsync(text, cancellation, parameters).ConfigureAwait(false);
        await PostgreSqlSession.ReadAsync(command, Take, cancellation).ConfigureAwait(false);
        return keys;

        bool Take(NpgsqlDataReader row)
        {
            keys.Add(PostgreSqlRows.Key(row));
            return true;
        }
    }

    private async Task<IReadOnlySet<string>?> ReadHoldersAsync(PostgreSqlSession session, CancellationToken cancellation)
    {
        var command = await session.CommandAsync(
            PostgreSqlStatements.Holders, cancellation, _probe.Table(), _probe.Column()).ConfigureAwait(false);
        return await PostgreSqlSession.ScalarAsync(command, cancellation).ConfigureAwait(false) is string[] holders
            ? new HashSet<string>(holders, StringComparer.Ordinal)
            : null;
    }

    private async Task ReadRowsAsync(PostgreSqlSession session, RowsStatement statement, CancellationToken cancellation)
    {
        var orderings = PostgreSqlRows.Orderings([.. statement.Orderings]);
        var command = await session.CommandAsync(_statements.Rows, cancellation, orderings).ConfigureAwait(false);
        var texts = new LastText();
        await PostgreSqlSession.ReadAsync(
            command,
            row => PostgreSqlRows.IsDeleted(row, first: 0) || statement.Add(_rows.Event(row, first: 0, texts)),
            cancellation).ConfigureAwait(false);
        await _rows.ReadTagsAsync(session, statement.EventsFrom, cancellation).ConfigureAwait(false);
    }

    private static async Task<IReadOnlyList<LostStatement>> StillRunningAsync(
        PostgreSqlSession session, IReadOnlyList<LostStatement> lost, CancellationToken cancellation)
    {
        var running = new HashSet<string>(StringComparer.Ordinal) { PostgreSqlFaults.UnknownBackend };
        var command = await session.CommandAsync(
            PostgreSqlStatements.StillRunning,
            cancellation,
            Of(lost.Select(one => one.Backend).ToArray(), TextArray)).ConfigureAwait(false);
        await PostgreSqlSession.ReadAsync(command, row => running.Add(row.GetString(0)) || true, cancellation).ConfigureAwait(false);
        return [.. lost.Where(one => running.Contains(one.Backend))];
    }

    private static NpgsqlParameter<T> Of<T>(T value, NpgsqlDbType type) => new() { TypedValue = value, NpgsqlDbType = type };

    private static NpgsqlParameter<long> Of(long value) => Of(value, NpgsqlDbType.Bigint);
}
