using Throttled.Projections;

namespace BankAccounts.Handlers;

/// <summary>
/// The tables of the read model, as a database spells them: one for each target, and a view of the one that is live. Names come from whoever may tell a
/// projection to rebuild, and so they are quoted.
/// </summary>
internal abstract class AccountSql
{
    protected const string Columns = "account_id, owner, balance, events";

    internal static string TableOf(string target) => $"{target}_account";

    /// <summary>Reads a table, or the view, which has the projection's name.</summary>
    internal static string Select(string table) => $"SELECT {Columns} FROM {ReadModel.Quote(table)}";

    /// <summary>Makes a target's table where it is not there, and empties it where it is.</summary>
    internal abstract string Prepare(string target);

    /// <summary>Turns the view to a target.</summary>
    internal static string Show(string view, string target) =>
        $"DROP VIEW IF EXISTS {ReadModel.Quote(view)}; CREATE VIEW {ReadModel.Quote(view)} AS {Select(TableOf(target))};";

    internal static string Drop(string target) => $"DROP TABLE IF EXISTS {Quoted(target)}";

    internal static string Open(string target) => $"INSERT INTO {Quoted(target)} ({Columns}) VALUES (@id, @owner, 0, 1)";

    internal static string Move(string target) =>
        $"UPDATE {Quoted(target)} SET balance = balance + @cents, events = events + 1 WHERE account_id = @id";

    internal static string Close(string target) => $"DELETE FROM {Quoted(target)} WHERE account_id = @id";

    internal static string Quoted(string target) => ReadModel.Quote(TableOf(target));
}
