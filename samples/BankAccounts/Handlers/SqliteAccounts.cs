namespace BankAccounts.Handlers;

internal sealed class SqliteAccounts : AccountSql
{
    internal override string Prepare(string target) =>
        $"""
        CREATE TABLE IF NOT EXISTS {TableOf(target)} (
            account_id TEXT PRIMARY KEY, owner TEXT, balance INTEGER NOT NULL, events INTEGER NOT NULL) WITHOUT ROWID;
        DELETE FROM {TableOf(target)}
        """;

    internal override string FirstShow(string view, string target) =>
        $"CREATE VIEW IF NOT EXISTS {view} AS {Select(TableOf(target))}";
}
