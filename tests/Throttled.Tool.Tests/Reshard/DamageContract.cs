using Throttled.Testing;

namespace Throttled.Tool.Tests.Reshard;

/// <summary>Copies that somebody has damaged.</summary>
public abstract class DamageContract(ReshardHost host)
{
    private const string Newest = "(SELECT max(ordering) FROM journal)";

    [ContractTheory]
    [InlineData($"DELETE FROM journal WHERE ordering = {Newest}", "1 rows missing")]
    [InlineData($"UPDATE journal SET created = created + 1 WHERE ordering = {Newest}", "the same number of rows, but other contents")]
    [InlineData($"UPDATE journal SET manifest = '' WHERE ordering = (SELECT min(ordering) FROM journal WHERE manifest IS NULL)", "the same number of rows, but other contents")]
    [InlineData("DELETE FROM tags WHERE ordering_id = (SELECT max(ordering_id) FROM tags) AND tag = 'blue'", "1 rows missing")]
    [InlineData("INSERT INTO journal (ordering, deleted, persistence_id, sequence_number, created, message) "
        + $"SELECT {Newest} + 1, deleted, persistence_id, sequence_number + 100, created, message FROM journal WHERE ordering = {Newest}", "1 rows too many")]
    [InlineData($"UPDATE journal SET persistence_id = 'a', sequence_number = 77 WHERE ordering = {Newest}", "rows of other shards")]
    public async Task Verify_finds_a_copy_that_is_damaged(string damage, string found)
    {
        var (one, many) = (host.NewDatabase(), host.NewDatabases(2));
        await History.WriteAsync(host, one, JournalTables.Default, rounds: 3);
        await host.Tool("copy", [one], many).EndsWithAsync(0);
        Assert.NotEqual(0, await host.RunAsync(many[1 - ShardMap.Even(2).ShardOf("a")], damage));

        var verify = await host.Tool("verify", [one], many).EndsWithAsync(1);
        var copy = await host.Tool("copy", [one], many).EndsWithAsync(1);

        Assert.Contains(found, verify.Output);
        Assert.Contains("Not every row is where it should be.", verify.Output);
        Assert.Contains(found, copy.Output);
    }

    [ContractFact]
    public async Task What_differs_because_the_old_journal_was_written_to_is_to_be_copied_anew()
    {
        var (one, many) = (host.NewDatabase(), host.NewDatabases(2));
        await History.WriteAsync(host, one, JournalTables.Default, rounds: 1);
        var copy = await host.Tool("copy", [one], many).EndsWithAsync(0);
        await using (var appender = host.OpenAppender(one, null))
        {
            await appender.AppendAsync([History.Event("a", 50)]);
        }

        var verify = await host.Tool("verify", [one], many).EndsWithAsync(1);

        Assert.Contains("Verify once more right before the application starts", copy.Output);
        Assert.Contains("1 rows missing", verify.Output);
        Assert.Contains("drop the new databases and copy again", verify.Output);
        Assert.DoesNotContain("go on with the new databases", verify.Output);
    }

    [ContractFact]
    public async Task What_differs_because_the_application_has_started_is_not_to_be_copied_to()
    {
        var (one, many) = (host.NewDatabase(), host.NewDatabases(2));
        var last = await History.WriteAsync(host, one, JournalTables.Default, rounds: 1);
        await host.Tool("copy", [one], many).EndsWithAsync(0);
        await using (var appender = ShardedJournal.OpenAppender(many, host.OpenAppender))
        {
            await appender.AppendAsync([History.Event("a", 50)]);
        }
        foreach (var database in many)
            await host.RunAsync(database, $"DELETE FROM tags WHERE ordering_id > {last}");

        var verify = await host.Tool("verify", [one], many).EndsWithAsync(1);

        Assert.Contains("1 rows too many", verify.Output);
        Assert.Contains("the application has started on it. The comparison is then meaningless", verify.Output);
        Assert.Contains("equal; another part of the shard is not", verify.Output);
        Assert.DoesNotContain("The old journal was written to", verify.Output);
    }

    [ContractFact]
    public async Task Verify_finds_a_shard_that_would_give_out_orderings_again()
    {
        var (one, many) = (host.NewDatabase(), host.NewDatabases(2));
        var last = await History.WriteAsync(host, one, JournalTables.Default, rounds: 2);
        await host.Tool("copy", [one], many).EndsWithAsync(0);
        await host.RunAsync(many[1], host.Database == "sqlite"
            ? "UPDATE sqlite_sequence SET seq = 1 WHERE name = 'journal'"
            : "ALTER SEQUENCE journal_ordering_seq RESTART WITH 2");

        var verify = await host.Tool("verify", [one], many).EndsWithAsync(1);

        Assert.Contains($"Shard 1: its next ordering would be", verify.Output);
        Assert.Contains($"must be above {last}", verify.Output);
    }

    [ContractFact]
    public async Task Verify_finds_shards_that_stand_in_another_order()
    {
        var (one, many) = (host.NewDatabase(), host.NewDatabases(2));
        await History.WriteAsync(host, one, JournalTables.Default, rounds: 1);
        await host.Tool("copy", [one], many).EndsWithAsync(0);

        var verify = await host.Tool("verify", [one], many.Reverse()).EndsWithAsync(1);

        Assert.Matches(@"Shard 0: --to number 0 \(.+\) is marked as shard 1 of ""0-511,512-1023""; correct the order of --to, or --slices\.", verify.Output);
    }
}
