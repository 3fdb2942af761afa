using Microsoft.Data.Sqlite;
using Throttled.Projections.Tests.Store;

namespace Throttled.Faults.Projections.Bank;

/// <summary>
/// Places for banks: SQLite files in a directory, databases of a PostgreSQL server that all tests share and that ends with them, and databases of the SQL
/// Server that the environment names.
/// </summary>
public sealed class BankHost : IAsyncLifetime
{
    private static readonly Lazy<PostgreSqlServer> Server = new(() => PostgreSqlServer.Start());

    private readonly DirectoryInfo _directory = Directory.CreateTempSubdirectory("throttled-bank-");
    private readonly List<SqlServerReadModel> _sqlServers = [];
    private int _files;

    /// <summary>The path of a file that does not exist.</summary>
    internal string NewFile() => Path.Combine(_directory.FullName, $"{Interlocked.Increment(ref _files)}");

    internal async Task<BankPlace> NewPlaceAsync(string database)
    {
        if (database == OnSqliteAttribute.Name)
            return new(database, NewJournal(), $"Data Source={NewFile()}.db");
        if (database == OnPostgreSqlAttribute.Name)
            return OnServer(Server.Value);
        _sqlServers.Add(await SqlServerReadModel.CreateAsync());
        return new(database, NewJournal(), _sqlServers[^1].ConnectionString);
    }

    /// <summary>A place whose journal is sharded.</summary>
    internal async Task<BankPlace> NewPlaceAsync(string database, int shards)
    {
        var place = await NewPlaceAsync(database);
        return place with { Shards = [.. Enumerable.Range(0, shards).Select(_ => place.HasJournalFile ? NewJournal() : Server.Value.CreateDatabase())] };
    }

    /// <summary>Journal and read model in one database.</summary>
    internal static BankPlace OnServer(PostgreSqlServer server)
    {
        var database = server.CreateDatabase();
        return new(OnPostgreSqlAttribute.Name, database, database);
    }

    public Task InitializeAsync() => Task.CompletedTask;

    public async Task DisposeAsync()
    {
        SqliteConnection.ClearAllPools();
        _directory.Delete(recursive: true);
        foreach (var database in _sqlServers)
            await database.DropAsync();
    }

    private string NewJournal() => $"Data Source={NewFile()}.db";
}
