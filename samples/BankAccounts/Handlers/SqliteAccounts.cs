namespace BankAccounts.Handlers;

internal sealed class SqliteAccounts : AccountSql
{
    internal override string Prepare(string version) =>
        $"""
        CREATE TABLE IF NOT EXISTS {Quoted(version)} (
            account_id TEXT PRIMARY KEY, owner TEXT, balance INTEGER NOT NULL, events INTEGER NOT NULL) WITHOUT ROWID;
        DELETE FROM {Quoted(version)};
        """;
}
