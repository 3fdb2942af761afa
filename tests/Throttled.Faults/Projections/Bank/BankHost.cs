using Microsoft.Data.Sqlite;

namespace Throttled.Faults.Projections.Bank;

/// <summary>Places for banks: SQLite files in a directory, and databases of a PostgreSQL server that all tests share and that ends with them.</summary>
public sealed class BankHost : IDisposable
{
    private static readonly Lazy<PostgreSqlServer> Server = new(() => PostgreSqlServer.Start());

    private readonly DirectoryInfo _directory = Directory.CreateTempSubdirectory("throttled-bank-");
    private int _files;

    /// <summary>The path of a file that does not exist.</summary>
    internal string NewFile() => Path.Combine(_directory.FullName, $"{Interlocked.Increment(ref _files)}");

    internal BankPlace NewPlace(string database) => database == OnSqliteAttribute.Name
        ? new(true, $"Data Source={NewFile()}.db", $"Data Source={NewFile()}.db")
        : OnServer(Server.Value);

    /// <summary>A place whose journal is sharded.</summary>
    internal BankPlace NewPlace(string database, int shards)
    {
        var place = NewPlace(database);
        return place with { Shards = [.. Enumerable.Range(0, shards).Select(_ => place.IsSqlite ? $"Data Source={NewFile()}.db" : Server.Value.CreateDatabase())] };
    }

    /// <summary>Journal and read model in one database.</summary>
    internal static BankPlace OnServer(PostgreSqlServer server)
    {
        var database = server.CreateDatabase();
        return new(false, database, database);
    }

    public void Dispose()
    {
        SqliteConnection.ClearAllPools();
        _directory.Delete(recursive: true);
    }
}
