using Throttled.Testing;

namespace Throttled.Tool.Tests.Reshard;

/// <summary>The tool's process killed while it writes.</summary>
[Trait("Category", "Long")]
public sealed class SqliteKillTests(SqliteReshardHost host) : IClassFixture<SqliteReshardHost>
{
    [Fact]
    public async Task A_tool_that_is_killed_between_two_files_is_started_again_and_writes_the_second()
    {
        var (one, many) = (host.NewDatabase(), host.NewDatabases(2));
        await History.WriteAsync(host, one, JournalTables.Default);
        await host.RunAsync(many[1], "CREATE TABLE other (x INT)");
        // Who reads a file that is not in WAL mode keeps others from committing.
        await using (var reader = await host.ConnectAsync(many[1]))
        {
            await reader.RunAsync("BEGIN; SELECT count(*) FROM other");
            await using var tool = new KilledTool(host.Tool("copy", [one], many).Arguments);
            await Wait.UntilAsync(() => tool.Output.Contains("Shard 0 (slices 0-511): written") || tool.HasEnded, () => tool.Output);
            Assert.False(tool.HasEnded, tool.Output);
        }

        Assert.Equal(0, await host.NumberAsync(many[1], "SELECT count(*) FROM sqlite_schema WHERE name = 'journal'"));
        var run = await host.Tool("copy", [one], many).EndsWithAsync(0);

        Assert.Contains("Shard 1 (slices 512-1023): written", run.Output);
        Assert.Equal(await host.DumpAsync(one, "journal"), await host.DumpAsync(many, "journal"));
        Assert.Equal(await host.DumpAsync(one, "tags"), await host.DumpAsync(many, "tags"));
    }
}

[Collection(ServerCollection.Name)]
[Trait("Category", "Long")]
public sealed class PostgreSqlKillTests(PostgreSqlReshardHost host)
{
    private const string Waiting = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted";
    private const string Others = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'throttled'";

    [PostgreSqlFact]
    public async Task A_tool_that_is_killed_while_it_copies_leaves_nothing_and_is_started_again()
    {
        var (one, many) = (host.NewDatabase(), host.NewDatabases(2));
        await History.WriteAsync(host, one, JournalTables.Default);
        await using (var appender = ShardedJournal.OpenAppender(many, host.OpenAppender))
        {
            await appender.CreateAsync();
        }
        await host.RunAsync(many[1], """
            CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_advisory_xact_lock(42); RETURN NEW; END';
            CREATE TRIGGER wait BEFORE INSERT ON journal FOR EACH ROW WHEN (NEW.sequence_number = 3) EXECUTE FUNCTION wait()
            """);
        await using (var holder = await host.ConnectAsync(many[1]))
        {
            await holder.RunAsync("SELECT pg_advisory_lock(42)");
            await using var tool = new KilledTool(host.Tool("copy", [one], many).Arguments);
            await Wait.UntilAsync(async () => await host.NumberAsync(many[1], Waiting) > 0 || tool.HasEnded, () => tool.Output);
            Assert.False(tool.HasEnded, tool.Output);
        }
        foreach (var database in many)
            await Wait.UntilAsync(async () => await host.NumberAsync(database, Others) == 0, () => "the sessions to end");

        Assert.Empty(await host.DumpAsync(many, "journal"));
        await host.RunAsync(many[1], "DROP TRIGGER wait ON journal");
        await host.Tool("copy", [one], many).EndsWithAsync(0);

        Assert.Equal(await host.DumpAsync(one, "journal"), await host.DumpAsync(many, "journal"));
    }

    [PostgreSqlFact]
    public async Task A_writer_that_has_not_committed_yet_is_named()
    {
        var (one, many) = (host.NewDatabase(), host.NewDatabases(2));
        await History.WriteAsync(host, one, JournalTables.Default, rounds: 1);
        await using var writer = await host.ConnectAsync($"{one};Application Name=the-application");
        await writer.RunAsync("BEGIN; INSERT INTO journal (deleted, persistence_id, sequence_number, created, message) VALUES (false, 'late', 1, 1, '')");

        var run = await host.Tool("copy", [one], many).EndsWithAsync(2);

        Assert.Contains("(the-application) has a transaction open that writes to \"journal\"", run.Errors);
    }

    [PostgreSqlFact]
    public async Task A_column_with_a_default_that_the_new_database_lacks_is_refused_with_the_remedy()
    {
        var (one, many) = (host.NewDatabase(), host.NewDatabases(2));
        await History.WriteAsync(host, one, JournalTables.Default, rounds: 1);
        await host.RunAsync(one, "CREATE FUNCTION mine() RETURNS int LANGUAGE sql AS 'SELECT 1'; ALTER TABLE journal ADD COLUMN extra int DEFAULT mine()");

        var run = await host.Tool("copy", [one], many).EndsWithAsync(2);
        foreach (var database in many)
            await host.RunAsync(database, "CREATE FUNCTION mine() RETURNS int LANGUAGE sql AS 'SELECT 2'");
        await host.Tool("copy", [one], many).EndsWithAsync(0);

        Assert.Contains("cannot be created as it is in the old database: function mine() does not exist", run.Errors);
        Assert.Equal(await host.DumpAsync(one, "journal"), await host.DumpAsync(many, "journal"));
    }
}
