using Microsoft.Data.Sqlite;

namespace Akka.Persistence.Query.Throttled.Tests.Faults.World;

/// <summary>The path of a SQLite journal whose file does not exist yet.</summary>
internal sealed class JournalFile : IDisposable
{
    private readonly DirectoryInfo _directory = Directory.CreateTempSubdirectory("throttled-faults-");

    internal string Path => System.IO.Path.Combine(_directory.FullName, "journal.db");

    internal string ConnectionString => $"Data Source={Path}";

    /// <summary>The settings of a read journal on this file.</summary>
    internal string Settings(string more = "") => $$"""
        connection-string = "{{ConnectionString.Replace("\\", "\\\\")}}"
        provider-name = "SQLite.MS"
        {{more}}
        """;

    internal SqliteConnection Connect()
    {
        var connection = new SqliteConnection($"{ConnectionString};Pooling=False");
        connection.Open();
        return connection;
    }

    internal void Execute(string sql)
    {
        using var connection = Connect();
        using var command = connection.CreateCommand();
        command.CommandText = sql;
        command.ExecuteNonQuery();
    }

    public void Dispose() => _directory.Delete(recursive: true);
}
