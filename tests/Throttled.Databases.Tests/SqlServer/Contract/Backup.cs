using Microsoft.Data.SqlClient;

namespace Throttled.Journal.SqlServer.Tests.Contract;

/// <summary>A copy of a whole database in the backup directory of the server.</summary>
internal sealed class Backup(string connectionString)
{
    private readonly string _database = new SqlConnectionStringBuilder(connectionString).InitialCatalog;

    /// <returns>Restores the copy. Open sessions of the database are closed.</returns>
    internal async Task<Func<Task>> TakeAsync()
    {
        await RunAsync($"BACKUP DATABASE [{_database}] TO DISK = N'{_database}.bak' WITH INIT, COPY_ONLY");
        return () => RunAsync(
            // Not SINGLE_USER, because a returning reader could be the single user.
            $"ALTER DATABASE [{_database}] SET OFFLINE WITH ROLLBACK IMMEDIATE; RESTORE DATABASE [{_database}] FROM DISK = N'{_database}.bak' WITH REPLACE");
    }

    private async Task RunAsync(string sql)
    {
        await using var connection = new SqlConnection(
            new SqlConnectionStringBuilder(connectionString) { InitialCatalog = "master", Pooling = false }.ConnectionString);
        await connection.OpenAsync();
        await connection.RunAsync(sql);
    }
}
