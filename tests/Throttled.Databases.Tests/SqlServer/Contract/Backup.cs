using Microsoft.Data.SqlClient;
using Throttled.Testing;

namespace Throttled.Journal.SqlServer.Tests.Contract;

/// <summary>A copy of a whole database, in the server's own directory for such.</summary>
internal sealed class Backup(string connectionString)
{
    private readonly string _database = new SqlConnectionStringBuilder(connectionString).InitialCatalog;

    /// <returns>Puts the copy back in its place; who has the database open is thrown out.</returns>
    internal async Task<Func<Task>> TakeAsync()
    {
        await RunAsync($"BACKUP DATABASE [{_database}] TO DISK = N'{_database}.bak' WITH INIT, COPY_ONLY");
        return () => RunAsync(
            // Not to a single user, who could be one of the readers that come back.
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
