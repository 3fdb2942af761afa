using System.Data.Common;
using CrushTest.Databases;
using CrushTest.Floor;
using CrushTest.Settings;
using Microsoft.Data.Sqlite;
using Npgsql;

namespace Throttled.Benchmarks.Replay;

/// <summary>The scan on each database.</summary>
internal static class Scans
{
    // Keeps as many rows at a time as a page of the engine has, as the other floors do.
    private const int Kept = 500;

    internal static IScan Of(CrushSettings settings, JournalTables tables) => settings.Kind == CrushKind.Sqlite
        ? new SqliteScan(new SqliteCrush(settings.Places[0]).ForReading, Text(tables))
        : OfPostgreSql(settings.Connections[0], tables);

    internal static IScan OfPostgreSql(string connection, JournalTables tables) => new PostgreSqlScan(connection, Text(tables));

    private static string Text(JournalTables tables) =>
        $"SELECT {tables.PersistenceIdColumn}, {FloorRow.Columns(tables)} FROM {tables.JournalTable} ORDER BY {tables.OrderingColumn}";

    private static void Keep(List<(string PersistenceId, FloorRow Row)> rows, DbDataReader row)
    {
        if (rows.Count == Kept)
            rows.Clear();
        rows.Add((row.GetString(0), FloorRow.Read(row, 1)));
    }

    private sealed class SqliteScan(string connection, string text) : IScan
    {
        public Task<long> ReadAllAsync() => Task.Factory.StartNew(
            Read, CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);

        private long Read()
        {
            using var open = new SqliteConnection(connection);
            open.Open();
            using var command = open.CreateCommand();
            command.CommandText = text;
            var (rows, count) = (new List<(string, FloorRow)>(Kept), 0L);
            using var row = command.ExecuteReader();
            for (; row.Read(); count++)
                Keep(rows, row);
            return count;
        }
    }

    private sealed class PostgreSqlScan(string connection, string text) : IScan
    {
        public async Task<long> ReadAllAsync()
        {
            await using var source = NpgsqlDataSource.Create(connection);
            await using var command = source.CreateCommand(text);
            command.CommandTimeout = 0;
            var (rows, count) = (new List<(string, FloorRow)>(Kept), 0L);
            await using var row = await command.ExecuteReaderAsync();
            for (; await row.ReadAsync(); count++)
                Keep(rows, row);
            return count;
        }
    }
}

/// <summary>
/// The floor of a replay: one statement over the whole journal in its order, by the bare driver. Every column that the engine reads is
/// read, into an object a row.
/// </summary>
internal interface IScan
{
    Task<long> ReadAllAsync();
}
