using Npgsql;

namespace Throttled.Journal.PostgreSql.Tests;

/// <summary>The SQL of the pages runs. Roles belong to a whole server, so these tests have their own.</summary>
public sealed class DocumentedSqlTests
{
    [PostgreSqlFact]
    public async Task Each_block_of_the_pages_runs()
    {
        var blocks = PageBlocks.Of("sql");
        Assert.True(blocks.Count >= 4, "Hardly any SQL was found.");
        using var server = PostgreSqlServer.Start();
        await RunAsync(server.ConnectionString(), "CREATE DATABASE app");
        await RunAsync(server.ConnectionString(), $"DROP ROLE {PostgreSqlServer.Reader}; CREATE ROLE writer");
        await using (var appender = PostgreSqlJournal.OpenAppender(server.ConnectionString("app")))
            await appender.CreateAsync();
        await RunAsync(server.ConnectionString("app"), "CREATE TABLE throttled_shards (shard integer); DROP INDEX IF EXISTS tags_tag_ordering_idx");
        blocks = [.. blocks, ("index-postgresql.sql", "sql", IndexScript())];
        foreach (var (page, _, sql) in blocks)
        {
            var error = await Record.ExceptionAsync(() => RunAsync(server.ConnectionString("app"), sql));
            Assert.True(error is null, $"{page}: {error?.Message}\n{sql}");
        }
    }

    // An index is created CONCURRENTLY outside of a transaction, so without the statement after it.
    private static string IndexScript() =>
        File.ReadAllText(Path.Combine(WorkingCopy.Root, "docs", "sql", "index-postgresql.sql")).Split("\nANALYZE")[0];

    private static async Task RunAsync(string connection, string sql)
    {
        await using var source = NpgsqlDataSource.Create(connection);
        await using var command = source.CreateCommand(sql);
        await command.ExecuteNonQueryAsync();
    }
}
