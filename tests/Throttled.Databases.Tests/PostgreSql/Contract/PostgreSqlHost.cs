using System.Data.Common;
using Npgsql;

namespace Throttled.Journal.PostgreSql.Tests.Contract;

/// <summary>
/// Journals in databases of their own, on a server that starts with the first one and stops with the tests. Readers connect as a user
/// with exactly the rights of <c>docs/sql/reader-postgresql.sql</c>.
/// </summary>
[ContractOn(ContractDatabase.PostgreSql)]
public sealed class PostgreSqlHost : IJournalHost, IDisposable
{
    private readonly Lazy<PostgreSqlServer> _server = new(() => PostgreSqlServer.Start());

    public async Task<JournalUnderTest> NewJournalAsync(JournalTables? tables = null) => await CreateAsync(_server.Value, tables);

    public async Task<JournalUnderTest> NewAbsentJournalAsync(JournalTables tables)
    {
        var journal = New(_server.Value, tables);
        await journal.IsolateAsync();
        return journal;
    }

    public void Dispose()
    {
        if (_server.IsValueCreated)
            _server.Value.Dispose();
    }

    /// <summary>A journal on a server of the test's own.</summary>
    internal static async Task<PostgreSqlJournalUnderTest> CreateAsync(PostgreSqlServer server, JournalTables? tables = null)
    {
        var journal = New(server, tables);
        await journal.CreateAsync();
        return journal;
    }

    private static PostgreSqlJournalUnderTest New(PostgreSqlServer server, JournalTables? tables) =>
        new(server, server.CreateDatabase(), tables ?? JournalTables.Default);
}

internal sealed class PostgreSqlJournalUnderTest(PostgreSqlServer server, string connectionString, JournalTables tables)
    : JournalUnderTest(tables)
{
    private readonly NpgsqlDataSource _sql = server.OpenSource(connectionString);
    private JournalTables _readTables = tables;

    /// <summary>The application name of the reader's sessions.</summary>
    internal const string ReaderName = "reader";

    /// <summary>The connection string of the owner.</summary>
    internal string OwnerConnectionString => connectionString;

    /// <summary>The connection string of readers.</summary>
    internal string ReaderConnectionString
    {
        get => field ?? new NpgsqlConnectionStringBuilder(connectionString) { Username = PostgreSqlServer.Reader }.ConnectionString;
        set;
    }

    public override JournalTables ReadTables => _readTables;

    protected override int LongestTag => Tables.TagMode == TagMode.TagTable ? 64 : 1_000;

    public override string OrderingType => "BIGSERIAL PRIMARY KEY";

    public override string BytesType => "BYTEA";

    public override string Quote(string identifier) => $"\"{identifier.Replace("\"", "\"\"")}\"";

    public override async Task<DbConnection> ConnectAsync() => await _sql.OpenConnectionAsync();

    // A column keeps its type, so readers get a view that fails only at these rows.
    public override async Task PoisonAsync(string persistenceId)
    {
        var columns = new[]
        {
            Tables.OrderingColumn, Tables.DeletedColumn, Tables.PersistenceIdColumn, Tables.SequenceNumberColumn,
            Tables.PayloadColumn, Tables.SerializerIdColumn, Tables.ManifestColumn,
        }.Select(Quote).ToList();
        if (Tables.TagMode == TagMode.Csv)
            columns.Add(Quote(Tables.TagsColumn));
        var (id, timestamp) = (Quote(Tables.PersistenceIdColumn), Quote(Tables.TimestampColumn));
        await ExecuteAsync(
            $"CREATE VIEW {NameOf("poisoned")} AS SELECT {string.Join(", ", columns)}, "
            + $"CASE WHEN {id} = '{persistenceId}' THEN ('noon of ' || {id})::bigint ELSE {timestamp} END AS {timestamp} FROM {Table}");
        _readTables = Tables with { JournalTable = "poisoned" };
        await AllowReadersAsync();
    }

    public override Task TruncateAsync(bool restartsNumbers) => ExecuteAsync(
        $"TRUNCATE {Table} {(restartsNumbers ? "RESTART" : "CONTINUE")} IDENTITY"
        + (Tables.TagMode == TagMode.TagTable ? $"; TRUNCATE {TagTable}" : ""));

    public override Task<Func<Task>> CopyAsync()
    {
        var restore = server.Dump(connectionString);
        return Task.FromResult<Func<Task>>(() => Task.Run(restore));
    }

    public override async Task NoStatementRunsAsync() => Assert.Equal(0, await RunningAsync());

    /// <summary>The statements of readers that run in this database now.</summary>
    internal async Task<long> RunningAsync()
    {
        await using var connection = await ConnectAsync();
        return await connection.ScalarAsync<long>(Running);
    }

    /// <summary>Counts the statements of readers that run in this database.</summary>
    internal static string Running =>
        $"SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name = '{ReaderName}' AND state = 'active'";

    /// <summary>Prepares a database without tables. Readers may read the tables that are created later.</summary>
    internal async Task IsolateAsync()
    {
        await ExecuteAsync(Rights.NoneToAll);
        await AllowReadersWhatComesAsync();
    }

    public override async ValueTask DisposeAsync()
    {
        await base.DisposeAsync();
        await _sql.DisposeAsync();
        server.Return(connectionString);
    }

    protected override Task AllowReadersAsync() => ExecuteAsync($"{Rights.NoneToAll}; {Rights.OfReader(ReadTables)}");

    protected override Task AllowReadersWhatComesAsync() => ExecuteAsync(Rights.OnWhatComes);

    protected override string NameOf(string table) => Tables.Schema is { } schema ? $"{Quote(schema)}.{Quote(table)}" : Quote(table);

    protected override JournalReader OpenReaderCore(JournalOptions options) =>
        PostgreSqlJournal.OpenReader($"{ReaderConnectionString};Application Name={ReaderName}", options);

    protected override JournalAppender OpenAppenderCore() => PostgreSqlJournal.OpenAppender(connectionString, Tables);
}
