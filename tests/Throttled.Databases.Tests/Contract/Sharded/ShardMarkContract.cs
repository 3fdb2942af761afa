using System.Data.Common;
using Throttled.Journal.Queries;

namespace Throttled.Databases.Tests.Contract;

/// <summary>The mark beside a shard's journal prevents the use of a map that would not find its events.</summary>
public abstract class ShardMarkContract(IJournalHost host, ITestOutputHelper output) : JournalContract(host, output)
{
    private const string Remedy = "Correct the order, the number or the slices of the shards; to divide the journal differently, move its events first: throttled reshard (docs/resharding.md)";

    private static readonly ShardMap Two = ShardMap.Even(2);

    // One for each shard.
    private static readonly JournalEvent[] Events = [TestEvents.One(IdOf(0), 1), TestEvents.One(IdOf(1), 1)];

    [ContractFact]
    public async Task Readers_and_writers_refuse_another_map_than_the_events_were_written_with()
    {
        var (a, b) = (await NewJournalAsync(), await NewJournalAsync());
        await using (var journal = await new ShardedUnderTest(Two, a, b).CreateAsync())
            await journal.AppendAsync(Events);

        await RefusedAsync(new(Two, b, a), "shard 1 of \"0-511,512-1023\"");
        await RefusedAsync(new(ShardMap.Parse("0-510,511-1023"), a, b), "of \"0-511,512-1023\", but is configured as shard");
        await RefusedAsync(new(ShardMap.Parse("512-1023,0-511"), a, b), "of \"512-1023,0-511\"");
        await RefusedAsync(new(ShardMap.Even(1), a), "but is configured as shard 0 of \"0-1023\"");
        await using var crossed = new ShardedUnderTest(Two, b, a);
        var ofId = await Assert.ThrowsAsync<JournalException>(() => crossed.OpenReader().EventsByPersistenceId(Events[1].PersistenceId).AllAsync());
        Assert.StartsWith("Shard 1 (slices 512-1023): ", ofId.Message, StringComparison.Ordinal);
        Assert.Contains("was written as shard 0 of \"0-511,512-1023\", but is configured as shard 1 of \"0-511,512-1023\"", ofId.Message, StringComparison.Ordinal);
        // Orderings of another shard are not those of this one.
        foreach (var engine in crossed.OpenReader().Journal.Shards)
        {
            Assert.Contains("was written as shard", (await Assert.ThrowsAnyAsync<Exception>(() => engine.EndAsync(CancellationToken.None))).Message, StringComparison.Ordinal);
            Assert.Contains("was written as shard", (await Assert.ThrowsAnyAsync<Exception>(() => engine.LastIssuedAsync(CancellationToken.None))).Message, StringComparison.Ordinal);
        }
        await using var right = new ShardedUnderTest(Two, a, b);
        Assert.Equal(2, (await right.OpenReader().CurrentAllEvents().AllAsync()).Count);
    }

    [ContractFact]
    public async Task A_database_that_is_named_twice_is_refused_even_if_it_is_empty()
    {
        var journal = await NewJournalAsync();
        await using var twice = new ShardedUnderTest(Two, journal, journal);
        var error = await Assert.ThrowsAnyAsync<Exception>(() => twice.OpenAppender().CreateAsync());
        Assert.Contains("was written as shard ", error.Message, StringComparison.Ordinal);
        Assert.Contains(Remedy, error.Message, StringComparison.Ordinal);
        // Grants the readers their rights on the existing tables.
        await journal.CreateAsync();
        var refused = await Assert.ThrowsAsync<JournalException>(() => twice.OpenReader().PersistenceIds().AllAsync());
        Assert.Contains("was written as shard ", refused.Message, StringComparison.Ordinal);
    }

    [ContractFact]
    public async Task A_journal_without_a_mark_is_refused_as_a_shard_of_several()
    {
        var (a, b) = (await NewJournalAsync(), await NewJournalAsync());
        await a.AppendAsync("p", 1, 1);
        await RefusedAsync(new(Two, a, b), "has events but no shard mark, so it was not written as a shard, but it is configured as shard 0 of");
        await RefusedAsync(new(Two, a, b), "write the mark: throttled reshard mark");
        Assert.Single(await a.OpenReader().CurrentAllEvents().AllAsync());
        await using var one = new ShardedUnderTest(ShardMap.Even(1), a);
        Assert.Single(await one.OpenReader().CurrentAllEvents().AllAsync());
        await one.AppendAsync(TestEvents.Of("p", 2, 1));
        Assert.Equal(2, (await one.OpenReader().CurrentAllEvents().AllAsync()).Count);
        await using var connection = await a.ConnectAsync();
        await Assert.ThrowsAnyAsync<DbException>(() => connection.ScalarAsync<long>("SELECT count(*) FROM throttled_shards"));
    }

    [ContractFact]
    public async Task Queries_wait_for_empty_shards_without_a_mark()
    {
        await using var journal = new ShardedUnderTest(Two, await NewAbsentJournalAsync(), await NewAbsentJournalAsync());
        foreach (var shard in journal.Journals)
            await shard.CreateAsync();
        var (meter, reader) = StatementMeter.Of(() => journal.OpenReader());
        await using var all = LiveReading.Of(reader.AllEvents());
        await using var byId = LiveReading.Of(reader.EventsByPersistenceId(Events[1].PersistenceId));
        // The first two checks of each shard. With the third check, one shard has checked twice.
        await meter.MoreAsync(3, "probe");
        Assert.Equal(0, all.Count + byId.Count);
        Assert.Contains(
            "is empty and has no mark of shard 0 of \"0-511,512-1023\"", (await reader.CheckHealthAsync(CancellationToken.None))[0].UnreadableReason, StringComparison.Ordinal);

        await journal.AppendAsync(Events);

        journal.AreExactly(await all.UntilAsync(2), Events);
        await byId.UntilAsync(1);
    }

    [ContractFact]
    public async Task With_RequireTable_a_missing_mark_fails_queries_and_names_the_shard()
    {
        await using var journal = new ShardedUnderTest(Two, await NewJournalAsync(), await NewJournalAsync());
        var reader = journal.OpenReader(new() { RequireTable = true });
        var error = await Assert.ThrowsAsync<JournalException>(() => reader.EventsByPersistenceId(Events[1].PersistenceId).AllAsync());
        Assert.StartsWith("Shard 1 (slices 512-1023): The journal is not marked as a shard yet (", error.Message, StringComparison.Ordinal);
        Assert.Contains("Start its writer, which marks it, or create it with its appender", error.Message, StringComparison.Ordinal);
    }

    [ContractFact]
    public async Task Writers_that_begin_together_mark_once()
    {
        await using var journal = new ShardedUnderTest(Two, await NewJournalAsync(), await NewJournalAsync());
        var writers = Enumerable.Range(0, 4).Select(_ => journal.OpenAppender()).ToList();
        await Task.WhenAll(writers.Select((writer, i) => writer.AppendAsync([.. Events.Select(each => TestEvents.One($"{each.PersistenceId}", i + 1))])));
        foreach (var shard in journal.Journals)
        {
            await using var connection = await shard.ConnectAsync();
            Assert.Equal(1L, await connection.ScalarAsync<long>("SELECT count(*) FROM throttled_shards"));
            Assert.Equal(4L, await connection.ScalarAsync<long>($"SELECT count(*) FROM {shard.Table}"));
        }
    }

    private static async Task RefusedAsync(ShardedUnderTest journal, string part)
    {
        await using var closing = journal;
        foreach (var read in (Func<JournalReader, Task>[])[reader => reader.CurrentAllEvents().AllAsync(), reader => reader.PersistenceIds().AllAsync()])
        {
            var refused = await Assert.ThrowsAsync<JournalException>(() => read(journal.OpenReader()));
            Assert.Contains(part, refused.Message, StringComparison.Ordinal);
            Assert.Contains(Remedy, refused.Message, StringComparison.Ordinal);
        }
        var error = await Assert.ThrowsAnyAsync<Exception>(() => journal.AppendAsync(Events));
        Assert.Contains(Remedy, error.Message, StringComparison.Ordinal);
    }

    private static string IdOf(int shard) => TestEvents.Ids("p", 100).Concat(TestEvents.Ids("order-17", 100)).First(id => Two.ShardOf(id) == shard);
}
