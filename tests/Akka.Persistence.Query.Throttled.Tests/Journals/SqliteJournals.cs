using Microsoft.Data.Sqlite;

namespace Akka.Persistence.Query.Throttled.Tests.Journals;

/// <summary>SQLite, written by Akka.Persistence.Sql with its tag table.</summary>
public sealed class SqliteTagTable : IWrittenJournal
{
    public static string? SkipReason => null;

    public static WrittenJournal New() => SqliteFile.New(isWriteAhead: true).WithAkkaPersistenceSql("TagTable");
}

/// <summary>SQLite, written by Akka.Persistence.Sql with tags in a column.</summary>
public sealed class SqliteCsv : IWrittenJournal
{
    public static string? SkipReason => null;

    public static WrittenJournal New() => SqliteFile.New(isWriteAhead: true).WithAkkaPersistenceSql("Csv");
}

/// <summary>A database in its own file.</summary>
internal sealed class SqliteFile
{
    private readonly string _path = Path.Combine(Path.GetTempPath(), $"throttled-{Guid.NewGuid():N}.db");

    internal string ConnectionString => $"Data Source={_path}";

    /// <param name="isWriteAhead">Whether the file is in WAL mode, so readers and the writer do not block each other (docs/operating/sizing.md).</param>
    internal static SqliteFile New(bool isWriteAhead)
    {
        var file = new SqliteFile();
        using var connection = new SqliteConnection(file.ConnectionString);
        connection.Open();
        using var command = connection.CreateCommand();
        command.CommandText = $"PRAGMA journal_mode = {(isWriteAhead ? "WAL" : "DELETE")}";
        command.ExecuteNonQuery();
        return file;
    }

    internal WrittenJournal WithAkkaPersistenceSql(string tagMode) => AkkaPersistenceSql.Of(ConnectionString, "SQLite.MS", "default", tagMode, Delete);

    internal void Delete()
    {
        // The write plugins leave their connections in the pool of the driver.
        using (var connection = new SqliteConnection(ConnectionString))
            SqliteConnection.ClearPool(connection);
        foreach (var suffix in (string[])["", "-wal", "-shm", "-journal"])
            File.Delete(_path + suffix);
    }
}
