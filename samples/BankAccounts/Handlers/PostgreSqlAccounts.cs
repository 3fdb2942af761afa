namespace BankAccounts.Handlers;

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
