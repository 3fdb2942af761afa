using Microsoft.Data.SqlClient;

namespace Throttled.Projections.Tests.Store;

/// <summary>A database of its own on the SQL Server that the environment names. Reads see the last commit, and wait for no writer.</summary>
internal sealed class SqlServerReadModel
{
    // Two creations at once cannot both lock the model database (error 1807).
    private static readonly SemaphoreSlim Turn = new(1, 1);

    private readonly string _name;

    private SqlServerReadModel(string name) => _name = name;

    /// <summary>The sessions that wait for a lock in the connection's database.</summary>
    internal const string WaitingForLocks = "sys.dm_exec_requests WHERE wait_type LIKE 'LCK%' AND database_id = DB_ID()";

    internal string ConnectionString =>
        new SqlConnectionStringBuilder(SqlServerTests.ConnectionString) { InitialCatalog = _name, Pooling = true }.ConnectionString;

    internal static async Task<SqlServerReadModel> CreateAsync()
    {
        var name = $"throttled_read_model_{Guid.NewGuid():N}";
        await Turn.WaitAsync();
        try
        {
            // As a reminder that texts are compared by code units, whatever the database's collation is.
            await RunAsync($"CREATE DATABASE {name} COLLATE Latin1_General_100_CI_AI");
        }
        finally
        {
            Turn.Release();
        }
        await RunAsync($"ALTER DATABASE {name} SET ALLOW_SNAPSHOT_ISOLATION ON");
        await RunAsync($"ALTER DATABASE {name} SET READ_COMMITTED_SNAPSHOT ON");
        return new(name);
    }

    internal async Task DropAsync()
    {
        using (var connection = new SqlConnection(ConnectionString))
            SqlConnection.ClearPool(connection);
        await RunAsync($"ALTER DATABASE {_name} SET SINGLE_USER WITH ROLLBACK IMMEDIATE");
        await RunAsync($"DROP DATABASE {_name}");
    }

    private static async Task RunAsync(string sql)
    {
        await using var connection = new SqlConnection(new SqlConnectionStringBuilder(SqlServerTests.ConnectionString) { Pooling = false }.ConnectionString);
        await connection.OpenAsync();
        await using var command = new SqlCommand(sql, connection) { CommandTimeout = 120 };
        await command.ExecuteNonQueryAsync();
    }
}
