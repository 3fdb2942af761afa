namespace BankAccounts.Handlers;

internal sealed class PostgreSqlAccounts : AccountSql
{
    // Leaves room in each page, so that a new version of a row fits in it and the index need not change:
    // https://www.postgresql.org/docs/current/storage-hot.html
    internal override string Prepare(string version) =>
        $"""
        CREATE TABLE IF NOT EXISTS {Quoted(version)} (
            account_id text PRIMARY KEY, owner text, balance bigint NOT NULL, events integer NOT NULL) WITH (fillfactor = 50);
        TRUNCATE {Quoted(version)};
        """;
}
