using System.Data.Common;

namespace Throttled.Journal.Contract;

/// <summary>SQL by hand.</summary>
public static class Connections
{
    public static async Task RunAsync(this DbConnection connection, string sql)
    {
        await using var command = connection.CreateCommand();
        command.CommandText = sql;
        await command.ExecuteNonQueryAsync();
    }

    public static async Task<T> ScalarAsync<T>(this DbConnection connection, string sql)
    {
        await using var command = connection.CreateCommand();
        command.CommandText = sql;
        return (T)(await command.ExecuteScalarAsync())!;
    }
}
