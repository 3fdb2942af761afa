using Throttled.Projections;

namespace BankAccounts.Handlers;

/// <summary>
/// The SQL of the read model's tables: one table for each version, and a view of the live version. A user who may rebuild the
/// projection chooses the names, so they are quoted.
/// </summary>
internal abstract class AccountSql
{
    internal const string Columns = "account_id, owner, balance, events";

    internal static string TableOf(string version) => $"{version}_account";

    /// <summary>Reads a table, or the view, which has the name of the projection.</summary>
    internal static string Select(string table) => $"SELECT {Columns} FROM {ReadModelDatabase.Quote(table)}";

    /// <summary>Creates the table of a version, or empties it if it exists.</summary>
    internal abstract string Prepare(string version);

    /// <summary>Lets the view show a version.</summary>
    internal virtual string Show(string view, string version) =>
        $"DROP VIEW IF EXISTS {ReadModelDatabase.Quote(view)}; CREATE VIEW {ReadModelDatabase.Quote(view)} AS {Select(TableOf(version))};";

    internal static string Drop(string version) => $"DROP TABLE IF EXISTS {Quoted(version)}";

    internal static string Quoted(string version) => ReadModelDatabase.Quote(TableOf(version));
}

internal sealed class PostgreSqlAccounts : AccountSql
{
    // Room in each page, so that a new version of a row stays in it and the index need not be told:
    // https://www.postgresql.org/docs/current/storage-hot.html
    internal override string Prepare(string version) =>
        $"""
        CREATE TABLE IF NOT EXISTS {Quoted(version)} (
            account_id text PRIMARY KEY, owner text, balance bigint NOT NULL, events integer NOT NULL) WITH (fillfactor = 50);
        TRUNCATE {Quoted(version)};
        """;
}

internal sealed class SqliteAccounts : AccountSql
{
    internal override string Prepare(string version) =>
        $"""
        CREATE TABLE IF NOT EXISTS {Quoted(version)} (
            account_id TEXT PRIMARY KEY, owner TEXT, balance INTEGER NOT NULL, events INTEGER NOT NULL) WITHOUT ROWID;
        DELETE FROM {Quoted(version)};
        """;
}

internal sealed class SqlServerAccounts : AccountSql
{
    /// <summary>The type of an id. It compares as .NET does.</summary>
    internal const string Id = "nvarchar(100) COLLATE Latin1_General_BIN2";

    internal override string Prepare(string version) =>
        $"""
        IF OBJECT_ID(N'{Quoted(version)}', N'U') IS NULL
            CREATE TABLE {Quoted(version)} (account_id {Id} NOT NULL PRIMARY KEY, owner nvarchar(100) NULL, balance bigint NOT NULL, events int NOT NULL);
        TRUNCATE TABLE {Quoted(version)};
        """;

    // A statement that creates a view must be the only one of its batch.
    internal override string Show(string view, string version) =>
        $"EXEC(N'CREATE OR ALTER VIEW {ReadModelDatabase.Quote(view)} AS {Select(TableOf(version))}');";
}
