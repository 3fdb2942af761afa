using Npgsql;
using static Throttled.Journal.PostgreSql.Tests.TestJournal;

namespace Throttled.Journal.PostgreSql.Tests;

public class OpenTransactionTests
{
    [PostgreSqlFact]
    public async Task The_oldest_transaction_is_described_with_its_statement()
    {
        await using var journal = await CreateAsync();
        await using var sql = NpgsqlDataSource.Create($"{journal.ConnectionString};Pooling=false;Application Name=my app");
        await using var first = await BeginAsync(sql, 1);
        await using var second = await BeginAsync(sql, 2);
        var openTransactions = (await journal.Database.ReadStartAsync(default)).OpenTransactions!;
        Assert.Equal(2, openTransactions.Count);
        var clause = await journal.Database.DescribeOldestAsync(openTransactions, default);
        Assert.Matches($@"^open for \d+ s by user 'postgres' \(pid {first.ProcessID}, 'my app', idle in transaction\): INSERT INTO journal\(deleted, .*, message\) VALUES \(false, 'x+…$", clause);
        Assert.Equal(101, clause!.Length - clause.IndexOf("INSERT", StringComparison.Ordinal));
        await first.DisposeAsync();
        // The server notices the end of a session with a delay.
        await Wait.UntilAsync(
            async () => (await journal.Database.DescribeOldestAsync(openTransactions, default))!.Contains($"pid {second.ProcessID}", StringComparison.Ordinal),
            () => "the other transaction as the oldest");
        await second.DisposeAsync();
        await Wait.UntilAsync(
            async () => await journal.Database.DescribeOldestAsync(openTransactions, default) is null, () => "the end of the transactions");
    }

    [PostgreSqlFact]
    public async Task A_prepared_transaction_is_described_by_its_name_under_either_id()
    {
        using var server = PostgreSqlServer.Start(maxConnections: 20);
        await using var journal = await CreateAsync(server: server);
        await journal.ExecuteAsync($"BEGIN; {Insert(1)}; PREPARE TRANSACTION 'order 66'");
        await AssertPreparedAsync(journal);
        server.Stop();
        server.Start();
        await Assert.ThrowsAnyAsync<Exception>(() => journal.Database.ReadStartAsync(default));
        await AssertPreparedAsync(journal);
        await journal.ExecuteAsync("ROLLBACK PREPARED 'order 66'");
    }

    [PostgreSqlFact]
    public async Task Without_the_right_to_see_sessions_the_public_columns_are_described()
    {
        await using var journal = await CreateAsync();
        await journal.ExecuteAsync("CREATE ROLE stranger LOGIN PASSWORD 'secret'; GRANT SELECT ON journal, tags TO stranger");
        await using (var database = journal.Open(new(), ";Username=stranger;Password=secret"))
        await using (var writer = await BeginAsync(journal.Sql, 1))
        {
            var clause = await database.DescribeOldestAsync((await database.ReadStartAsync(default)).OpenTransactions!, default);
            Assert.Equal($"open by user 'postgres' (pid {writer.ProcessID}, 'test'): <insufficient privilege>", clause);
        }

        await journal.ExecuteAsync("DROP OWNED BY stranger; DROP ROLE stranger");
    }

    [PostgreSqlFact]
    public async Task Transactions_that_have_ended_have_no_description()
    {
        await using var journal = await CreateAsync();
        Assert.Null(await journal.Database.DescribeOldestAsync(new HashSet<string> { "77/12345", "-1/77" }, default));
        Assert.Null(await journal.Database.DescribeOldestAsync(new HashSet<string>(), default));
    }

    private static async Task AssertPreparedAsync(TestJournal journal)
    {
        var openTransactions = (await journal.Database.ReadStartAsync(default)).OpenTransactions!;
        Assert.Matches(
            @"^open for \d+ s, prepared as 'order 66' by user 'postgres'$", await journal.Database.DescribeOldestAsync(openTransactions, default));
    }

    private static async Task<NpgsqlConnection> BeginAsync(NpgsqlDataSource sql, int number)
    {
        var connection = await sql.OpenConnectionAsync();
        await using var command = new NpgsqlCommand($"BEGIN; {Insert(number)}", connection);
        await command.ExecuteNonQueryAsync();
        return connection;
    }

    private static string Insert(int number) =>
        $"INSERT INTO journal(deleted, persistence_id, sequence_number, created, message)\n  VALUES (false, '{new string('x', 50)}', {number}, 0, '')";
}
