using Throttled.Projections;

namespace BankAccounts.Handlers;

/// <summary>
/// The SQL of the read model's tables: one table for each version, and a view of the live version. A user who may rebuild the
/// projection chooses the names, so they are quoted.
/// </summary>
internal abstract class AccountSql
{
    protected const string Columns = "account_id, owner, balance, events";

    internal static string TableOf(string version) => $"{version}_account";

    /// <summary>Reads a table, or the view, which has the name of the projection.</summary>
    internal static string Select(string table) => $"SELECT {Columns} FROM {ReadModelDatabase.Quote(table)}";

    /// <summary>Creates the table of a version, or empties it if it exists.</summary>
    internal abstract string Prepare(string version);

    /// <summary>Lets the view show a version.</summary>
    internal static string Show(string view, string version) =>
        $"DROP VIEW IF EXISTS {ReadModelDatabase.Quote(view)}; CREATE VIEW {ReadModelDatabase.Quote(view)} AS {Select(TableOf(version))};";

    internal static string Drop(string version) => $"DROP TABLE IF EXISTS {Quoted(version)}";

    internal static string Open(string version) => $"INSERT INTO {Quoted(version)} ({Columns}) VALUES (@id, @owner, 0, 1)";

    internal static string Move(string version) =>
        $"UPDATE {Quoted(version)} SET balance = balance + @cents, events = events + 1 WHERE account_id = @id";

    internal static string Close(string version) => $"DELETE FROM {Quoted(version)} WHERE account_id = @id";

    internal static string Quoted(string version) => ReadModelDatabase.Quote(TableOf(version));
}
