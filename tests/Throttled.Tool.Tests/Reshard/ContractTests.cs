using Throttled.Testing;

namespace Throttled.Tool.Tests.Reshard;

/// <summary>One server for all; its tests run one after the other.</summary>
[CollectionDefinition(Name)]
public sealed class ServerCollection : ICollectionFixture<PostgreSqlReshardHost>
{
    internal const string Name = "PostgreSQL";
}

[Collection(ServerCollection.Name)]
public sealed class PostgreSqlCopyTests(PostgreSqlReshardHost host) : CopyContract(host)
{
    private readonly PostgreSqlReshardHost _host = host;

    [ContractFact]
    public async Task An_application_that_is_connected_and_silent_is_warned_of_with_its_name_and_the_tool_itself_is_not()
    {
        var (one, many) = (_host.NewDatabase(), _host.NewDatabases(2));
        await History.WriteAsync(_host, one, JournalTables.Default, rounds: 1);
        // What the engine leaves in its pools, and in the history's, is connected too.
        Npgsql.NpgsqlConnection.ClearAllPools();
        await Wait.UntilAsync(async () => await _host.NumberAsync(many[0], $"SELECT count(*) FROM pg_stat_activity WHERE datname = '{Name(one)}'") == 0, () => "Their connections are not gone.");
        string line;
        await using (await _host.ConnectAsync($"{one};Application Name=Shop"))
        await using (await _host.ConnectAsync($"{one};Application Name=Shop"))
        await using (await _host.ConnectAsync($"{one};Application Name=Report"))
        {
            var connected = await _host.Tool("copy", [one], many).EndsWithAsync(0);
            line = string.Join('\n', connected.Output.Split('\n').Where(each => each.StartsWith("warning: ", StringComparison.Ordinal)));
        }
        await Wait.UntilAsync(async () => await _host.NumberAsync(many[0], $"SELECT count(*) FROM pg_stat_activity WHERE datname = '{Name(one)}' AND application_name IN ('Shop', 'Report')") == 0, () => "Their connections are not gone.");

        var alone = await _host.Tool("verify", [one], many).EndsWithAsync(0);

        Assert.Equal(2, line.Split("has 3 other connections: Shop (2), Report (1). Stop whatever writes to the journal").Length - 1);
        Assert.DoesNotContain("warning: ", alone.Output);
    }

    [ContractTheory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task What_a_transaction_writes_that_was_open_when_the_moment_began_and_had_not_touched_the_journal_is_seen(bool isInSavepoint)
    {
        var one = _host.NewDatabase();
        await History.WriteAsync(_host, one, JournalTables.Default, rounds: 1);
        await _host.RunAsync(one, "CREATE TABLE other (x int)");
        await using var writer = await _host.ConnectAsync(one);
        await writer.RunAsync($"BEGIN; INSERT INTO other VALUES (1); {(isInSavepoint ? "SAVEPOINT s; INSERT INTO other VALUES (2)" : "")}");
        // Its number is below those of transactions that have ended.
        await _host.RunAsync(one, "CREATE TABLE later (x int)");
        await using var database = _host.Open(one, JournalTables.Default);
        await using (var unchanged = await database.SnapshotAsync(default))
            Assert.Null(await unchanged.ChangeAsync(default));
        await using var snapshot = await database.SnapshotAsync(default);

        await writer.RunAsync("UPDATE journal SET deleted = true WHERE NOT deleted; COMMIT");

        Assert.Equal("some of its rows were updated", await snapshot.ChangeAsync(default));
    }

    [ContractFact]
    public async Task What_was_written_before_the_moment_by_who_came_after_one_that_is_open_still_is_no_change()
    {
        var one = _host.NewDatabase();
        await _host.RunAsync(one, "CREATE TABLE other (x int)");
        await using var old = await _host.ConnectAsync(one);
        await old.RunAsync("BEGIN; INSERT INTO other VALUES (1)");
        await History.WriteAsync(_host, one, JournalTables.Default, rounds: 1);
        await using var database = _host.Open(one, JournalTables.Default);
        await using var snapshot = await database.SnapshotAsync(default);

        await old.RunAsync("COMMIT");

        Assert.Null(await snapshot.ChangeAsync(default));
    }

    private static string Name(string database) => new Npgsql.NpgsqlConnectionStringBuilder(database).Database!;

    [ContractFact]
    public async Task Columns_that_number_rows_beside_the_ordering_go_on_above_the_rows_that_were_copied()
    {
        var (one, many) = (_host.NewDatabase(), _host.NewDatabases(2));
        await History.WriteAsync(_host, one, JournalTables.Default, rounds: 1);
        await _host.RunAsync(one, "ALTER TABLE tags ADD COLUMN id BIGINT GENERATED ALWAYS AS IDENTITY UNIQUE");

        await _host.Tool("copy", [one], many).EndsWithAsync(0);

        foreach (var database in many)
            Assert.Equal(1, await _host.RunAsync(database, "INSERT INTO tags (ordering_id, tag, sequence_nr, persistence_id) VALUES (9999, 'new', 1, 'a')"));
    }
}

[Collection(ServerCollection.Name)]
public sealed class PostgreSqlPlanTests(PostgreSqlReshardHost host) : PlanContract(host);

[Collection(ServerCollection.Name)]
public sealed class PostgreSqlInterruptionTests(PostgreSqlReshardHost host) : InterruptionContract(host);

[Collection(ServerCollection.Name)]
[Trait("Category", "Long")]
public sealed class PostgreSqlDamageTests(PostgreSqlReshardHost host) : DamageContract(host);

[Collection(ServerCollection.Name)]
[Trait("Category", "Long")]
public sealed class PostgreSqlRefusalTests(PostgreSqlReshardHost host) : RefusalContract(host);

public sealed class SqliteCopyTests(SqliteReshardHost host) : CopyContract(host), IClassFixture<SqliteReshardHost>;

public sealed class SqlitePlanTests(SqliteReshardHost host) : PlanContract(host), IClassFixture<SqliteReshardHost>;

public sealed class SqliteInterruptionTests(SqliteReshardHost host) : InterruptionContract(host), IClassFixture<SqliteReshardHost>;

public sealed class SqliteDamageTests(SqliteReshardHost host) : DamageContract(host), IClassFixture<SqliteReshardHost>;

public sealed class SqliteRefusalTests(SqliteReshardHost host) : RefusalContract(host), IClassFixture<SqliteReshardHost>;
