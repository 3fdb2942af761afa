using System.Data.Common;
using Microsoft.Data.SqlClient;

namespace Throttled.Journal.SqlServer.Tests.Contract;

internal sealed class SqlServerJournalUnderTest(TestServer server, string connectionString, JournalTables tables) : JournalUnderTest(tables)
{
    /// <summary>The application name of the reader's sessions.</summary>
    private const string ReaderName = "reader";

    private readonly SqlServerDialect _dialect = new();
    private JournalTables _readTables = tables;

    /// <summary>The user of readers.</summary>
    internal string Reader => server.Reader;

    /// <summary>The connection string of the owner.</summary>
    internal string OwnerConnectionString => connectionString;

    /// <summary>The connection string of readers.</summary>
    internal string ReaderConnectionString
    {
        get => field ?? new SqlConnectionStringBuilder(server.ReaderOf(connectionString)) { ApplicationName = ReaderName }.ConnectionString;
        set;
    }

    public override JournalTables ReadTables => _readTables;

    public override string OrderingType => "BIGINT IDENTITY PRIMARY KEY";

    public override string BytesType => "VARBINARY(MAX)";

    public override string BooleanType => "BIT";

    public override string True => "1";

    public override string False => "0";

    public override string NoBytes => "0x";

    protected override int LongestTag => Tables.TagMode == TagMode.TagTable ? 64 : 1_000;

    public override string Quote(string identifier) => _dialect.Quote(identifier);

    // Columns count in units of UTF-16.
    public override bool Holds(string tag) => tag.Length <= LongestTag && IsRead(tag);

    // Spaces at the end are ignored in a key, whatever the collation.
    public override IEnumerable<string> Distinct(IEnumerable<string> ids) => ids.Where(IsRead).DistinctBy(id => id.TrimEnd(' '));

    public override string Rename(string from, string to) =>
        $"EXEC sp_rename {SqlServerDialect.Text(NameOf(from))}, {SqlServerDialect.Text(to)}, 'OBJECT'";

    public override string InsertEvent(string columns, string values) =>
        $"INSERT INTO {Table} ({columns}) OUTPUT inserted.{Quote(Tables.OrderingColumn)} VALUES ({values})";

    public override string InsertNumberedEvent(string columns, string values) =>
        $"SET IDENTITY_INSERT {Table} ON; INSERT INTO {Table} ({columns}) VALUES ({values}); SET IDENTITY_INSERT {Table} OFF; "
        + $"SELECT MAX({Quote(Tables.OrderingColumn)}) FROM {Table}";

    public override async Task<DbConnection> ConnectAsync()
    {
        var connection = new SqlConnection(connectionString);
        await connection.OpenAsync();
        return connection;
    }

    // A column keeps its type, so readers get a view that fails only at these rows.
    public override Task PoisonAsync(string persistenceId) =>
        ReadThroughAsync(persistenceId, $"CAST(N'noon of ' + {Quote(Tables.PersistenceIdColumn)} AS BIGINT)");

    /// <summary>Makes reading the rows of one persistence id take hours. Other ids are not affected.</summary>
    internal async Task SlowDownAsync(string persistenceId)
    {
        await ExecuteAsync("CREATE TABLE numbers (n INT NOT NULL)");
        // Distinct, so that the server cannot aggregate first.
        await ExecuteAsync("INSERT INTO numbers SELECT TOP (4096) ROW_NUMBER() OVER (ORDER BY (SELECT NULL)) FROM sys.all_objects AS a CROSS JOIN sys.all_objects AS b");
        await ReadThroughAsync(persistenceId, "(SELECT COUNT_BIG(*) FROM numbers AS a CROSS JOIN numbers AS b CROSS JOIN numbers AS c WHERE a.n + b.n + c.n > 0)");
    }

    public override async Task TruncateAsync(bool restartsNumbers)
    {
        await ExecuteAsync($"{(restartsNumbers ? "TRUNCATE TABLE" : "DELETE FROM")} {Table}");
        if (Tables.TagMode == TagMode.TagTable)
            await ExecuteAsync($"DELETE FROM {TagTable}");
    }

    public override Task<Func<Task>> CopyAsync() =>
        TestServer.IsBabelfish ? new TableCopy(this).TakeAsync() : new Backup(connectionString).TakeAsync();

    public override async Task NoStatementRunsAsync() => Assert.Equal(0, await RunningAsync());

    /// <summary>The statements of readers that run in this database now.</summary>
    internal async Task<long> RunningAsync()
    {
        await using var connection = await ConnectAsync();
        return await connection.ScalarAsync<long>(Running);
    }

    /// <summary>Counts the statements of readers that run in this database.</summary>
    internal static string Running =>
        "SELECT COUNT(*) FROM sys.dm_exec_sessions s "
        + (TestServer.IsBabelfish ? "WHERE s.status = 'active'" : "JOIN sys.dm_exec_requests r ON r.session_id = s.session_id WHERE r.status <> 'background'")
        + $" AND s.program_name = '{ReaderName}' AND s.database_id = DB_ID()";

    /// <summary>Grants readers the rights on new tables of the database.</summary>
    internal Task ExpectAsync() => AllowReadersWhatComesAsync();

    public override async ValueTask DisposeAsync()
    {
        await base.DisposeAsync();
        server.Drop(connectionString);
    }

    // Another timestamp for the rows of an id.
    private async Task ReadThroughAsync(string persistenceId, string timestamp)
    {
        var columns = new[]
        {
            Tables.OrderingColumn, Tables.DeletedColumn, Tables.PersistenceIdColumn, Tables.SequenceNumberColumn,
            Tables.PayloadColumn, Tables.SerializerIdColumn, Tables.ManifestColumn,
        }.Select(Quote).ToList();
        if (Tables.TagMode == TagMode.Csv)
            columns.Add(Quote(Tables.TagsColumn));
        var (id, own) = (Quote(Tables.PersistenceIdColumn), Quote(Tables.TimestampColumn));
        await ExecuteAsync(
            $"CREATE VIEW {NameOf("seen")} AS SELECT {string.Join(", ", columns)}, "
            + $"CASE WHEN {id} = N'{persistenceId}' THEN {timestamp} ELSE {own} END AS {own} FROM {Table}");
        _readTables = Tables with { JournalTable = "seen" };
        await AllowReadersAsync();
    }

    // Babelfish does not unescape texts that it takes from JSON. OddTextsTests has them on SQL Server itself.
    private static bool IsRead(string text) => !TestServer.IsBabelfish || !text.Any(each => each is '"' or '\\' || char.IsControl(each));

    protected override Task AllowReadersAsync() => ExecuteAsync(Rights.OfReader(server.Reader, ReadTables));

    protected override Task AllowReadersWhatComesAsync() => ExecuteAsync(Rights.OnWhatComes(server.Reader, Tables));

    protected override string NameOf(string table) => _dialect.Table(Tables.Schema, table);

    protected override JournalReader OpenReaderCore(JournalOptions options) => SqlServerJournal.OpenReader(ReaderConnectionString, server.Patient(options));

    protected override JournalAppender OpenAppenderCore() => SqlServerJournal.OpenAppender(connectionString, Tables);
}
