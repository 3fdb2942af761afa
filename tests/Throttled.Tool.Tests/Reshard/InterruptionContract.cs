using Throttled.Testing;
using Throttled.Tool.Reshard;

namespace Throttled.Tool.Tests.Reshard;

/// <summary>Runs that do not come to their end.</summary>
public abstract class InterruptionContract(ReshardHost host)
{
    [ContractFact]
    public async Task A_run_that_fails_before_its_end_leaves_nothing_and_is_started_again()
    {
        var (one, many) = (host.NewDatabase(), host.NewDatabases(2));
        await History.WriteAsync(host, one, JournalTables.Default);

        await Assert.ThrowsAsync<InvalidOperationException>(() => CopyAsync([one], many, line =>
        {
            if (line.Contains("read back"))
                throw new InvalidOperationException("Interrupted.");
        }));

        Assert.All(await TablesAsync(many), count => Assert.Equal(0, count));
        await host.Tool("copy", [one], many).EndsWithAsync(0);
        Assert.Equal(await host.DumpAsync(one, "journal"), await host.DumpAsync(many, "journal"));
    }

    [ContractFact]
    public async Task A_run_that_fails_between_two_shards_keeps_the_first_and_writes_the_second_when_started_again()
    {
        var (one, many) = (host.NewDatabase(), host.NewDatabases(2));
        await History.WriteAsync(host, one, JournalTables.Default);

        await Assert.ThrowsAsync<InvalidOperationException>(() => CopyAsync([one], many, line =>
        {
            if (line.EndsWith("): written", StringComparison.Ordinal))
                throw new InvalidOperationException("Interrupted.");
        }));
        var tables = await TablesAsync(many);
        var run = await host.Tool("copy", [one], many).EndsWithAsync(0);

        Assert.Equal([1, 0], tables);
        Assert.Contains("equal", run.Output);
        Assert.Contains("Shard 1 (slices 512-1023): written", run.Output);
        Assert.DoesNotContain("Shard 0 (slices 0-511): written", run.Output);
        Assert.Equal(await host.DumpAsync(one, "journal"), await host.DumpAsync(many, "journal"));
        Assert.Equal(await host.DumpAsync(one, "tags"), await host.DumpAsync(many, "tags"));
    }

    [ContractFact]
    public async Task A_journal_that_is_written_to_meanwhile_is_not_copied()
    {
        var (one, many) = (host.NewDatabase(), host.NewDatabases(2));
        await History.WriteAsync(host, one, JournalTables.Default);
        await using var appender = host.OpenAppender(one, null);

        var refused = await Assert.ThrowsAsync<ReshardException>(() => CopyAsync([one], many, line =>
        {
            if (line.StartsWith("Shard 0 ", StringComparison.Ordinal))
                appender.AppendAsync([History.Event("late", 1)]).GetAwaiter().GetResult();
        }));

        Assert.Contains("The journal was written to meanwhile", refused.Message);
        Assert.All(await TablesAsync(many), count => Assert.Equal(0, count));
    }

    [ContractFact]
    public async Task A_journal_whose_events_are_marked_as_deleted_meanwhile_is_not_copied()
    {
        var (one, many) = (host.NewDatabase(), host.NewDatabases(2));
        await History.WriteAsync(host, one, JournalTables.Default);

        var refused = await Assert.ThrowsAsync<ReshardException>(() => CopyAsync([one], many, line =>
        {
            if (line.StartsWith("Shard 0 ", StringComparison.Ordinal))
                host.RunAsync(one, $"UPDATE journal SET deleted = {host.True} WHERE ordering = 1").GetAwaiter().GetResult();
        }));

        Assert.Contains("The journal was written to meanwhile", refused.Message);
        Assert.All(await TablesAsync(many), count => Assert.Equal(0, count));
    }

    [ContractFact]
    public async Task A_shard_that_is_written_to_while_another_is_read_keeps_all_from_being_written()
    {
        var (two, four) = (host.NewDatabases(2), host.NewDatabases(4));
        await using var appender = ShardedJournal.OpenAppender(two, host.OpenAppender);
        await appender.CreateAsync();
        await appender.AppendAsync([.. History.Ids.Select(id => History.Event(id, 1))]);

        var refused = await Assert.ThrowsAsync<ReshardException>(() => CopyAsync(two, four, line =>
        {
            if (line.StartsWith("Shard 3 ", StringComparison.Ordinal))
                appender.AppendAsync([.. History.Ids.Select(id => History.Event(id, 2))]).GetAwaiter().GetResult();
        }));

        Assert.Contains("nothing was written", refused.Message);
        Assert.All(await TablesAsync(four), count => Assert.Equal(0, count));
    }

    private async Task CopyAsync(string[] old, string[] many, Action<string> say)
    {
        var from = old.Select(database => host.Open(database, JournalTables.Default)).ToList();
        var to = many.Select(database => host.Open(database, JournalTables.Default)).ToList();
        try
        {
            await new Resharding(new(JournalTables.Default, "journal_metadata"), from, to, ShardMap.Even(many.Length), new MoveProgress(say, bar: null, TimeProvider.System)).CopyAsync(default);
        }
        finally
        {
            foreach (var database in from.Concat(to))
                await database.DisposeAsync();
        }
    }

    private async Task<long[]> TablesAsync(string[] databases)
    {
        List<long> counts = [];
        foreach (var database in databases)
            counts.Add(await host.NumberAsync(database, host.Database == "sqlite"
                ? "SELECT count(*) FROM sqlite_schema WHERE name = 'journal'"
                : "SELECT count(*) FROM pg_tables WHERE tablename = 'journal'"));
        return [.. counts];
    }
}
