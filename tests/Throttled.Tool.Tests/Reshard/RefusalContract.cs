using Throttled.Testing;

namespace Throttled.Tool.Tests.Reshard;

/// <summary>What is not done.</summary>
public abstract class RefusalContract(ReshardHost host)
{
    [ContractFact]
    public async Task A_new_database_that_has_events_is_left_alone()
    {
        var (one, many) = (host.NewDatabase(), host.NewDatabases(2));
        await History.WriteAsync(host, one, JournalTables.Default, rounds: 1);
        await History.WriteAsync(host, many[1], JournalTables.Default, rounds: 1);
        var before = await host.DumpAsync(many[1], "journal");

        var run = await host.Tool("copy", [one], many).EndsWithAsync(2);

        Assert.Contains("Shard 1 (slices 512-1023): the table journal of --to number 1 (", run.Errors);
        Assert.Contains($"has {before.Length} rows already, and no mark that they were copied. Give another, empty database.", run.Errors);
        Assert.Equal(before, await host.DumpAsync(many[1], "journal"));
        Assert.DoesNotContain("Password", run.Errors);
    }

    [ContractFact]
    public async Task Tables_that_are_there_and_empty_are_written_to_if_they_are_alike()
    {
        var (one, many) = (host.NewDatabase(), host.NewDatabases(2));
        await History.WriteAsync(host, one, JournalTables.Default, rounds: 2);
        await using (var appender = ShardedJournal.OpenAppender(many, host.OpenAppender))
        {
            await appender.CreateAsync();
        }

        await host.Tool("copy", [one], many).EndsWithAsync(0);

        Assert.Equal(await host.DumpAsync(one, "journal"), await host.DumpAsync(many, "journal"));
    }

    [ContractFact]
    public async Task A_table_that_is_there_and_another_is_refused_with_its_columns()
    {
        var (one, many) = (host.NewDatabase(), host.NewDatabases(2));
        await History.WriteAsync(host, one, JournalTables.Default, rounds: 1);
        await host.RunAsync(many[0], "CREATE TABLE journal (ordering INTEGER PRIMARY KEY, deleted BOOLEAN, sequence_number BIGINT, created TEXT)");

        var run = await host.Tool("copy", [one], many).EndsWithAsync(2);

        Assert.Contains(host.Database == "sqlite" ? "has no column 'persistence_id', 'message'" : "persistence_id is not there and not character varying; ", run.Errors);
    }

    [ContractFact]
    public async Task The_journal_itself_is_no_place_to_copy_to()
    {
        var one = host.NewDatabase();
        await using (var appender = host.OpenAppender(one, null))
        {
            await appender.CreateAsync();
        }

        var run = await host.Tool("copy", [one], [host.NewDatabase(), one]).EndsWithAsync(2);

        Assert.Contains("are the same database", run.Errors);
        Assert.Contains("--from number 0", run.Errors);
        Assert.Contains("--to number 1", run.Errors);
    }

    [ContractFact]
    public async Task A_journal_with_events_is_no_place_to_copy_to_either_and_no_place_is_given_twice()
    {
        var (one, other) = (host.NewDatabase(), host.NewDatabase());
        await History.WriteAsync(host, one, JournalTables.Default, rounds: 1);

        var self = await host.Tool("copy", [one], [one, other]).EndsWithAsync(2);
        var twice = await host.Tool("copy", [one], [other, other]).EndsWithAsync(2);

        Assert.Matches(@"--from number 0 \(.+\) and --to number 0 \(.+\) are the same database", self.Errors);
        Assert.Matches(@"--to number 0 \(.+\) and --to number 1 \(.+\) are the same database", twice.Errors);
    }

    [ContractFact]
    public async Task A_shard_that_the_application_has_started_on_is_not_written_again_though_it_has_no_rows()
    {
        var (one, many) = (host.NewDatabase(), host.NewDatabases(2));
        var last = await History.WriteAsync(host, one, JournalTables.Default, rounds: 1);
        await host.Tool("copy", [one], many).EndsWithAsync(0);
        await using (var appender = ShardedJournal.OpenAppender(many, host.OpenAppender))
        {
            await appender.AppendAsync([.. History.Ids.Select(id => History.Event(id, 9))]);
        }
        foreach (var database in many)
            await host.RunAsync(database, "DELETE FROM journal; DELETE FROM tags");

        var run = await host.Tool("copy", [one], many).EndsWithAsync(2);

        Assert.Contains("is marked and has no rows, but has issued orderings up to", run.Errors);
        Assert.Contains($"and the old journal only up to {last}: the application has started on it", run.Errors);
        await using var again = ShardedJournal.OpenAppender(many, host.OpenAppender);
        await again.AppendAsync([.. History.Ids.Select(id => History.Event(id, 10))]);
        foreach (var database in many)
            Assert.True(await host.NumberAsync(database, "SELECT min(ordering) FROM journal") > last + 1);
    }

    [ContractFact]
    public async Task A_new_database_that_is_marked_as_another_shard_is_named_with_the_option_to_correct()
    {
        var (one, many) = (host.NewDatabase(), host.NewDatabases(2));
        await History.WriteAsync(host, one, JournalTables.Default, rounds: 1);
        await host.Tool("copy", [one], many).EndsWithAsync(0);

        var copy = await host.Tool("copy", [one], many.Reverse()).EndsWithAsync(2);
        var mark = await new ToolRun(["mark", "--database", host.Database, "--on", many[0], "--shards", "2", "--shard", "1"]).EndsWithAsync(2);

        Assert.Matches(@"--to number 0 \(.+\) is marked as shard 1 of ""0-511,512-1023"", and is given as shard 0 of .*Correct the order of --to, or --slices", copy.Errors);
        Assert.Matches(@"--on \(.+\) is marked as shard 0 of ""0-511,512-1023"", and is given as shard 1 of .*Correct --shard, --shards or --slices", mark.Errors);
    }

    [ContractFact]
    public async Task Shards_that_are_not_all_there_or_not_in_their_order_are_no_journal_to_copy()
    {
        var (two, four) = (host.NewDatabases(2), host.NewDatabases(4));
        await using (var appender = ShardedJournal.OpenAppender(two, host.OpenAppender))
        {
            await appender.CreateAsync();
        }
        var alone = host.NewDatabase();
        await History.WriteAsync(host, alone, JournalTables.Default, rounds: 1);

        Assert.Contains("is marked as shard 1 of", (await host.Tool("copy", two.Reverse(), four).EndsWithAsync(2)).Errors);
        Assert.Contains("is marked as shard 1 of", (await host.Tool("copy", [two[1]], four).EndsWithAsync(2)).Errors);
        Assert.Matches(@"--from number 1 \(.+\) has no mark of a shard", (await host.Tool("copy", [two[0], alone], four).EndsWithAsync(2)).Errors);
        Assert.Contains("would have slices of several of the old shards", (await host.Tool("copy", two, four[..3]).EndsWithAsync(2)).Errors);
    }

    [ContractFact]
    public async Task A_table_that_is_needed_and_not_there_is_named()
    {
        var (one, many) = (host.NewDatabase(), host.NewDatabases(2));
        Assert.Contains("The table journal is not there in the journal.", (await host.Tool("copy", [await EmptyAsync()], many).EndsWithAsync(2)).Errors);
        await History.WriteAsync(host, one, JournalTables.Default with { TagMode = TagMode.Csv }, rounds: 1);

        var tags = await host.Tool("copy", [one], many).EndsWithAsync(2);
        var metadata = await host.Tool("copy", [one], many, "--tag-mode", "csv", "--metadata-table", "mine").EndsWithAsync(2);

        Assert.Contains("The table tags is not there in the journal. Where the tags are in a column", tags.Errors);
        Assert.Contains("The table mine is not there in the journal. Correct or leave out --metadata-table.", metadata.Errors);
    }

    // SQLite's reader needs a file.
    private async Task<string> EmptyAsync()
    {
        var database = host.NewDatabase();
        await host.RunAsync(database, "CREATE TABLE other (x INT)");
        return database;
    }
}
