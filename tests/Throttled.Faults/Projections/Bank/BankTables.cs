using System.Data.Common;
using Throttled.Projections;

namespace Throttled.Faults.Projections.Bank;

/// <summary>
/// The read model: for each account its balance, the number of its handled events, and the sequence number of the last one. The database itself
/// refuses a row in which these two numbers differ, so each event must be handled once and in order.
/// </summary>
internal static class BankTables
{
    /// <summary>The table in which a swap stores the live version.</summary>
    internal const string Live = "bank_live";

    internal const string Log = "bank_log";

    internal static string Of(string version) => $"{version}_account";

    internal static async Task PrepareAsync(ReadModelScope scope, BankPlace place, CancellationToken cancellation)
    {
        var table = Of(scope.Version);
        await RunAsync(scope, place.IsSqlServer ? SqlServer(table) : $"{Create(table)}{(place.IsSqlite ? SqliteGuard(table) : PostgreSqlGuard(table))}", cancellation);
    }

    internal static Task SwapAsync(ReadModelScope scope, CancellationToken cancellation) =>
        RunAsync(scope, $"DELETE FROM {Live}; INSERT INTO {Live} VALUES ('{scope.Version}')", cancellation);

    /// <summary>The log for handlers that write no accounts.</summary>
    internal static string CreateLog(BankPlace place)
    {
        var (key, text) = place.IsSqlServer ? ("bigint IDENTITY PRIMARY KEY", Text) : (place.IsSqlite ? "INTEGER PRIMARY KEY AUTOINCREMENT" : "bigserial PRIMARY KEY", "text");
        return $"CREATE TABLE {Log} (id {key}, run {text} NOT NULL, account_id {text} NOT NULL, number int NOT NULL)";
    }

    private const string Text = "nvarchar(200) COLLATE Latin1_General_100_BIN2";

    private static string SqlServer(string table) =>
        $"""
        IF OBJECT_ID(N'{Live}') IS NULL CREATE TABLE {Live} (version {Text});
        IF OBJECT_ID(N'{table}') IS NULL CREATE TABLE {table} (account_id {Text} PRIMARY KEY, balance bigint NOT NULL, events int NOT NULL, last int NOT NULL, CHECK (events = last));
        DELETE FROM {table};
        """;

    private static string Create(string table) =>
        $"""
        CREATE TABLE IF NOT EXISTS {Live} (version text);
        CREATE TABLE IF NOT EXISTS {table} (account_id text PRIMARY KEY, balance bigint NOT NULL, events int NOT NULL, last int NOT NULL);
        DELETE FROM {table};

        """;

    private static string SqliteGuard(string table) => string.Join(
        '\n',
        from change in new[] { "INSERT", "UPDATE" }
        select $"""
            CREATE TRIGGER IF NOT EXISTS {table}_{change} AFTER {change} ON {table} WHEN NEW.events <> NEW.last
            BEGIN SELECT RAISE(ABORT, 'an event is missing, doubled or out of order'); END;
            """);

    private static string PostgreSqlGuard(string table) =>
        $"""
        CREATE OR REPLACE FUNCTION {table}_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN RAISE EXCEPTION 'an event is missing, doubled or out of order: % has % at %', NEW.account_id, NEW.events, NEW.last; END $$;
        CREATE OR REPLACE TRIGGER {table}_guard AFTER INSERT OR UPDATE ON {table}
            FOR EACH ROW WHEN (NEW.events <> NEW.last) EXECUTE FUNCTION {table}_refuse();
        """;

    private static async Task RunAsync(ReadModelScope scope, string sql, CancellationToken cancellation)
    {
        await using DbCommand command = scope.Connection.CreateCommand();
        (command.Transaction, command.CommandText) = (scope.Transaction, sql);
        await command.ExecuteNonQueryAsync(cancellation);
    }
}
