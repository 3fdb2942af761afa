using System.Data.Common;
using Npgsql;
using Throttled.Journal.PostgreSql;

namespace Akka.Persistence.Query.Throttled.Tests.Faults.World;

/// <summary>A journal in its own database on a PostgreSQL server, and what others do to it.</summary>
internal sealed class ServerJournal : ILedgerJournal, IAsyncDisposable
{
    private ServerJournal(PostgreSqlServer server)
    {
        var connectionString = server.CreateDatabase();
        ConnectionString = connectionString;
        Appender = PostgreSqlJournal.OpenAppender(connectionString);
        Sql = server.OpenSource(connectionString);
    }

    internal string ConnectionString { get; }

    internal JournalAppender Appender { get; }

    internal NpgsqlDataSource Sql { get; }

    internal static async Task<ServerJournal> CreateAsync(PostgreSqlServer server)
    {
        var journal = Absent(server);
        await journal.Appender.CreateAsync();
        return journal;
    }

    /// <summary>A journal whose tables do not exist yet.</summary>
    internal static ServerJournal Absent(PostgreSqlServer server) => new(server);

    /// <summary>The settings of a read journal on this database. Its sessions have its name.</summary>
    internal string Settings(string more = "", string name = ReadSide.Only) => $$"""
        connection-string = "{{ConnectionString}};Application Name={{name}}"
        provider-name = "PostgreSQL.15"
        {{more}}
        """;

    public JournalAppender OpenAppender() => PostgreSqlJournal.OpenAppender(ConnectionString);

    public async Task<DbConnection> ConnectAsync() => await Sql.OpenConnectionAsync();

    internal Task AppendAsync(IEnumerable<JournalEvent> events) => Appender.AppendAsync([.. events]);

    internal async Task ExecuteAsync(string sql)
    {
        await using var command = Sql.CreateCommand(sql);
        await command.ExecuteNonQueryAsync();
    }

    internal async Task<T> ScalarAsync<T>(string sql)
    {
        await using var command = Sql.CreateCommand(sql);
        return (T)(await command.ExecuteScalarAsync())!;
    }

    /// <summary>Locks the table until it is disposed, so every statement on the journal waits.</summary>
    internal async Task<NpgsqlConnection> LockAsync(string table = "journal")
    {
        var connection = await Sql.OpenConnectionAsync();
        await connection.RunAsync($"BEGIN; LOCK TABLE {table}");
        return connection;
    }

    /// <summary>Counts the sessions of a read journal.</summary>
    internal static string Sessions => SessionsOf(ReadSide.Only);

    /// <summary>Counts the statements that run for a read journal, without repeated cancels: these have a connection outside the permits.</summary>
    internal static string Running(string name = ReadSide.Only) => $"{SessionsOf(name)} AND state = 'active' AND query NOT LIKE '%pg_cancel_backend%'";

    /// <summary>Counts the running statements that use a permit. The tail has its own permit and reads no pages.</summary>
    internal static string RunningPages => $"{Running()} AND query LIKE '%LATERAL%'";

    internal async Task UntilRunningAsync(Func<long, bool> isEnough, string name = ReadSide.Only)
    {
        var running = 0L;
        await using var connection = await Sql.OpenConnectionAsync();
        await Wait.UntilAsync(
            async () => isEnough(running = await connection.ScalarAsync<long>(Running(name))),
            () => $"the statements of '{name}' that should run; {running} do");
    }

    /// <summary>Ends random sessions of a read journal.</summary>
    /// <returns>The number of ended sessions.</returns>
    internal async Task<int> TerminateAsync(int count) => (int)await ScalarAsync<long>(
        $"""
        SELECT count(pg_terminate_backend(pid)) FROM (
            SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name = '{ReadSide.Only}'
            ORDER BY random() LIMIT {count}) AS victims
        """);

    private static string SessionsOf(string name) =>
        $"SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name = '{name}'";

    public async ValueTask DisposeAsync()
    {
        await Appender.DisposeAsync();
        await Sql.DisposeAsync();
    }
}
