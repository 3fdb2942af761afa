using Microsoft.Data.SqlClient;

namespace Throttled.Journal.SqlServer.Tests;

/// <summary>The rows that an appender wrote in a database of its own, read by plain SQL.</summary>
internal sealed class WrittenJournal : IAsyncDisposable
{
    private readonly TestServer _server;

    internal WrittenJournal(TestServer server, JournalTables? tables = null)
    {
        _server = server;
        Tables = tables ?? JournalTables.Default;
        ConnectionString = server.CreateDatabase();
        Appender = OpenAppender();
    }

    internal string ConnectionString { get; }

    internal JournalTables Tables { get; }

    internal JournalAppender Appender { get; }

    internal static async Task<WrittenJournal> CreateAsync(TestServer server, JournalTables? tables = null)
    {
        var journal = new WrittenJournal(server, tables);
        await journal.Appender.CreateAsync();
        return journal;
    }

    internal static JournalEvent Event(string id, long sequenceNumber, params string[] tags) => new()
    {
        PersistenceId = id,
        SequenceNumber = sequenceNumber,
        Timestamp = 638_000_000_000_000_000 + sequenceNumber,
        Payload = new byte[] { 1, 2, 3, (byte)sequenceNumber },
        SerializerId = 7,
        Manifest = "some-manifest",
        Tags = tags,
    };

    internal JournalAppender OpenAppender() => SqlServerJournal.OpenAppender(ConnectionString, Tables);

    internal Task AppendAsync(params JournalEvent[] events) => Appender.AppendAsync(events);

    internal async Task<SqlConnection> ConnectAsync()
    {
        var connection = new SqlConnection(new SqlConnectionStringBuilder(ConnectionString) { Pooling = false, ApplicationName = "test" }.ConnectionString);
        await connection.OpenAsync();
        return connection;
    }

    internal async Task ExecuteAsync(string sql)
    {
        await using var connection = await ConnectAsync();
        await using var command = new SqlCommand(sql, connection);
        await command.ExecuteNonQueryAsync();
    }

    internal async Task<T> ScalarAsync<T>(string sql)
    {
        await using var connection = await ConnectAsync();
        await using var command = new SqlCommand(sql, connection);
        return (T)(await command.ExecuteScalarAsync())!;
    }

    /// <summary>The rows, with their columns joined by spaces; NULL is empty.</summary>
    internal async Task<List<string>> RowsAsync(string sql)
    {
        await using var connection = await ConnectAsync();
        await using var command = new SqlCommand(sql, connection);
        await using var reader = await command.ExecuteReaderAsync();
        List<string> rows = [];
        while (await reader.ReadAsync())
            rows.Add(string.Join(' ', Enumerable.Range(0, reader.FieldCount).Select(column => Shown(reader.GetValue(column)))));
        return rows;
    }

    public async ValueTask DisposeAsync()
    {
        await Appender.DisposeAsync();
        _server.Drop(ConnectionString);
    }

    private static string Shown(object value) => value is byte[] bytes ? Convert.ToHexString(bytes) : FormattableString.Invariant($"{value}");
}

/// <summary>The server that the tests of a class share.</summary>
public sealed class WriteServer : IDisposable
{
    private readonly Lazy<TestServer> _server = new(() => TestServer.Start());

    internal TestServer Server => _server.Value;

    public void Dispose()
    {
        if (_server.IsValueCreated)
            _server.Value.Dispose();
    }
}
