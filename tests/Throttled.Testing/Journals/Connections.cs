using System.Data.Common;

namespace Throttled.Testing;

/// <summary>Runs SQL of the tests.</summary>
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
        var value = (await command.ExecuteScalarAsync())!;
        // SQL Server counts in 32 bits, the others in 64.
        return value is int count && typeof(T) == typeof(long) ? (T)(object)(long)count : (T)value;
    }
}
