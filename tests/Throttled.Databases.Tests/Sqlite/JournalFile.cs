using Microsoft.Data.Sqlite;

namespace Throttled.Journal.Sqlite.Tests;

/// <summary>A journal in a file of its own, which is deleted with it.</summary>
internal sealed class JournalFile(JournalTables? tables = null) : IAsyncDisposable
{
    private readonly string _path = Path.Combine(Path.GetTempPath(), $"throttled-{Guid.NewGuid():N}.db");
    private readonly List<IAsyncDisposable> _open = [];

    internal JournalTables Tables { get; } = tables ?? JournalTables.Default;

    internal string ConnectionString => $"Data Source={_path}";

    internal JournalAppender Appender(TimeProvider? clock = null) =>
        Open(new SqliteAppender(SqliteSource.Parse(ConnectionString), Tables, clock ?? TimeProvider.System));

    internal SqliteDatabase Database(JournalOptions? options = null) =>
        Open(new SqliteDatabase(SqliteSource.Parse(ConnectionString), (options ?? new()) with { Tables = Tables }));

    internal async Task CreateAsync(params JournalEvent[] events)
    {
        await using var appender = new SqliteAppender(SqliteSource.Parse(ConnectionString), Tables, TimeProvider.System);
        await appender.CreateAsync();
        await appender.AppendAsync(events);
    }

    /// <summary>Replaces the journal by a view with endless rows, so that a statement on it runs until it is stopped.</summary>
    // It also reads a table. Without one, a statement would not notice that the view was dropped.
    internal void CreateEndless() => Execute(
        """
        CREATE TABLE one AS SELECT 1 AS x;
        CREATE VIEW journal AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)
        SELECT i AS ordering, 0 AS deleted, 'other' || i AS persistence_id, i AS sequence_number, 0 AS created, x'' AS message,
            NULL AS identifier, '' AS manifest FROM n, one
        """);

    internal void Execute(string sql)
    {
        using var connection = Connect();
        using var command = connection.CreateCommand();
        command.CommandText = sql;
        command.ExecuteNonQuery();
    }

    internal string? Text(string sql)
    {
        using var connection = Connect();
        using var command = connection.CreateCommand();
        command.CommandText = sql;
        return command.ExecuteScalar()?.ToString();
    }

    internal SqliteConnection Connect()
    {
        Batteries.Load();
        var connection = new SqliteConnection($"{ConnectionString};Pooling=false");
        connection.Open();
        return connection;
    }

    public async ValueTask DisposeAsync()
    {
        foreach (var each in _open)
            await each.DisposeAsync();
        foreach (var suffix in (string[])["", "-wal", "-shm", "-journal"])
            File.Delete(_path + suffix);
    }

    private T Open<T>(T what)
        where T : IAsyncDisposable
    {
        _open.Add(what);
        return what;
    }
}
