using System.Data.Common;
using Akka.Configuration;
using CrushTest.Actors;
using Microsoft.Data.Sqlite;
using Npgsql;
using Throttled.Journal.PostgreSql;
using Throttled.Journal.Sqlite;

namespace Throttled.Benchmarks.Writing;

/// <summary>A journal of a benchmark, which the benchmark may write to.</summary>
internal sealed class OwnJournal
{
    private const int EventsPerTransaction = 20_000;

    private readonly string _connection;

    private OwnJournal(string connection, bool isSqlite, JournalTables tables) => (_connection, IsSqlite, Tables) = (connection, isSqlite, tables);

    internal bool IsSqlite { get; }

    internal JournalTables Tables { get; }

    /// <summary>The name in the reports.</summary>
    internal string Name => IsSqlite ? "SQLite" : "PostgreSQL";

    /// <summary>The number of writers that can write at once; on SQLite only one.</summary>
    internal int Writers => IsSqlite ? 1 : 4;

    /// <summary>Creates a journal with some events.</summary>
    /// <param name="connection">The connection string of a PostgreSQL database without a journal; null for a new SQLite file.</param>
    internal static async Task<OwnJournal> CreateAsync(string? connection, JournalTables tables, IEnumerable<JournalEvent> events)
    {
        var journal = new OwnJournal(connection ?? NewFile(), connection is null, tables);
        await using var appender = journal.OpenAppender();
        await appender.CreateAsync();
        await AppendAsync(appender, events);
        await journal.SettleAsync();
        return journal;
    }

    /// <summary>Appends events in large transactions; on PostgreSQL by COPY.</summary>
    internal async Task AppendAsync(IEnumerable<JournalEvent> events)
    {
        await using var appender = OpenAppender();
        await AppendAsync(appender, events);
    }

    /// <summary>The configuration with which Akka.Persistence.Sql reads this journal, with its default interval.</summary>
    internal Config ExistingConfig => ActorConfig.Existing(
        LiveQueries.Settings(IsSqlite ? "sqlite" : "postgres", 1, _connection) with { HasStreams = true }, _connection, Tables);

    internal JournalReader OpenReader(JournalOptions options) => IsSqlite
        ? SqliteJournal.OpenReader(_connection, options with { Tables = Tables })
        : PostgreSqlJournal.OpenReader(_connection, options with { Tables = Tables });

    internal JournalAppender OpenAppender() => IsSqlite
        ? SqliteJournal.OpenAppender(_connection, Tables)
        : PostgreSqlJournal.OpenAppender(_connection, Tables);

    internal DbDataSource OpenSource() => IsSqlite ? SqliteFactory.Instance.CreateDataSource(_connection) : NpgsqlDataSource.Create(_connection);

    /// <summary>The journal end.</summary>
    internal Task<long> EndAsync() => NumberAsync($"SELECT MAX({Tables.OrderingColumn}) FROM {Tables.JournalTable}");

    /// <returns>The number that a statement reads; 0 for NULL.</returns>
    internal async Task<long> NumberAsync(string sql)
    {
        await using var source = OpenSource();
        await using var command = source.CreateCommand(sql);
        return await command.ExecuteScalarAsync() as long? ?? 0;
    }

    /// <summary>Deletes the events after an ordering. The next event gets the next number, as if they had never been written.</summary>
    internal async Task DeletePastAsync(long ordering)
    {
        await RunAsync($"DELETE FROM {Tables.JournalTable} WHERE {Tables.OrderingColumn} > {ordering}");
        if (Tables.TagMode == TagMode.TagTable)
            await RunAsync($"DELETE FROM {Tables.TagTable} WHERE {Tables.TagOrderingColumn} > {ordering}");
        await RunAsync(IsSqlite
            ? $"UPDATE sqlite_sequence SET seq = {ordering} WHERE name = '{Tables.JournalTable}'"
            : $"SELECT setval(pg_get_serial_sequence('{Tables.JournalTable}', '{Tables.OrderingColumn}'), {ordering})");
        await SettleAsync();
    }

    internal Task DropAsync() => RunAsync($"DROP TABLE IF EXISTS {Tables.JournalTable}; DROP TABLE IF EXISTS {Tables.TagTable}");

    internal async Task RunAsync(string sql)
    {
        await using var source = OpenSource();
        await using var command = source.CreateCommand(sql);
        command.CommandTimeout = 0;
        await command.ExecuteNonQueryAsync();
    }

    /// <summary>Does the work that the database would do later in the background, so that it does not slow a round.</summary>
    internal async Task SettleAsync()
    {
        foreach (var sql in IsSqlite ? ["PRAGMA wal_checkpoint(TRUNCATE)"] : new[] { "VACUUM (ANALYZE)", "CHECKPOINT" })
            await RunAsync(sql);
    }

    // Makes the next events while some are appended.
    private static async Task AppendAsync(JournalAppender appender, IEnumerable<JournalEvent> events)
    {
        var appending = Task.CompletedTask;
        foreach (var some in events.Chunk(EventsPerTransaction))
        {
            await appending;
            appending = appender.AppendAsync(some);
        }
        await appending;
    }

    private static string NewFile()
    {
        SQLitePCL.Batteries_V2.Init();
        SqliteConnection.ClearAllPools();
        var file = Path.Combine(Directory.CreateDirectory(Path.Combine("artifacts", "bench")).FullName, "journal.db");
        foreach (var part in new[] { file, file + "-wal", file + "-shm" })
            File.Delete(part);
        return new SqliteConnectionStringBuilder { DataSource = file }.ConnectionString;
    }
}
