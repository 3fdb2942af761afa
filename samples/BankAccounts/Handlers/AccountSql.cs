namespace BankAccounts.Handlers;

/// <summary>The tables of the read model, as a database spells them: one for each target, and a view of the one that is live.</summary>
internal abstract class AccountSql
{
    protected const string Columns = "account_id, owner, balance, events";

    internal static string TableOf(string target) => $"{target}_account";

    /// <summary>Reads a table, or the view, which has the projection's name.</summary>
    internal static string Select(string table) => $"SELECT {Columns} FROM {table}";

    /// <summary>Makes a target's table where it is not there, and empties it where it is.</summary>
    internal abstract string Prepare(string target);

    /// <summary>Makes the view where it is not there.</summary>
    internal abstract string FirstShow(string view, string target);

    /// <summary>Turns the view to a target.</summary>
    internal static string Show(string view, string target) =>
        $"DROP VIEW IF EXISTS {view}; CREATE VIEW {view} AS {Select(TableOf(target))}";

    internal static string Drop(string target) => $"DROP TABLE IF EXISTS {TableOf(target)}";

    internal static string Open(string target) => $"INSERT INTO {TableOf(target)} ({Columns}) VALUES (@id, @owner, 0, 1)";

    internal static string Move(string target) =>
        $"UPDATE {TableOf(target)} SET balance = balance + @cents, events = events + 1 WHERE account_id = @id";

    internal static string Close(string target) => $"DELETE FROM {TableOf(target)} WHERE account_id = @id";
}
