namespace Throttled.Databases.Tests.Contract;

/// <summary>A journal that is divided among databases is read like one journal, except for the order between shards.</summary>
public abstract class ShardedReadContract(IJournalHost host, ITestOutputHelper output) : JournalContract(host, output)
{
    [ContractTheory]
    [InlineData(TagMode.TagTable)]
    [InlineData(TagMode.Csv)]
    public async Task Each_query_delivers_old_and_new_events_in_shard_order(TagMode tags)
    {
        await using var journal = await NewShardedAsync(tags);
        JournalEvent[] first = [.. Selections.Mixed(0, 61)], second = [.. Selections.Mixed(61, 40)];
        await journal.AppendAsync(first);
        var reader = journal.OpenReader(new() { MaxBufferSize = 10 });
        var selections = Enum.GetValues<Selection>();
        var live = selections.Select(selection => LiveReading.Of(reader.Read(selection, live: true))).ToList();
        await using var ids = LiveReading.Of(reader.PersistenceIds());
        foreach (var selection in selections)
        {
            journal.AreExactly(await reader.Read(selection, live: false).AllAsync(), first.Where(each => selection.Wants(each)));
            await live[(int)selection].UntilAsync(first.Count(each => selection.Wants(each)));
        }
        Assert.Equal(7, (await ids.UntilAsync(7)).Distinct().Count());

        await journal.AppendAsync([.. second, .. TestEvents.Of("one more", 1, 1)]);

        JournalEvent[] all = [.. first, .. second, .. TestEvents.Of("one more", 1, 1)];
        foreach (var selection in selections)
        {
            var expected = all.Where(each => selection.Wants(each)).ToList();
            journal.AreExactly(await live[(int)selection].UntilAsync(expected.Count), expected);
            await live[(int)selection].DisposeAsync();
        }
        Assert.Equal(all.Select(each => each.PersistenceId).Distinct().Order(), (await ids.UntilAsync(8)).Order());
        Assert.Equal(all.Select(each => each.PersistenceId).Distinct().Order(), (await reader.CurrentPersistenceIds().AllAsync()).Order());
    }

    [ContractFact]
    public async Task A_misplaced_event_fails_queries_of_all_events_but_not_those_of_its_id()
    {
        await using var journal = await NewShardedAsync();
        var events = Selections.Mixed(0, 20).ToList();
        await journal.AppendAsync(events);
        var id = journal.In(1, events).First().PersistenceId;
        await journal.Journals[0].AppendAsync(id, 1_000, 1);

        var error = await Assert.ThrowsAsync<JournalException>(() => journal.OpenReader().CurrentAllEvents().AllAsync());

        Assert.StartsWith("Shard 0 (slices ", error.Message, StringComparison.Ordinal);
        Assert.Contains($" belongs to '{id}', which is in slice {JournalSlices.Of(id)} of shard 1. Find the process that writes", error.Message, StringComparison.Ordinal);
        Assert.NotEmpty(await journal.OpenReader().CurrentEventsByPersistenceId(id).AllAsync());
    }

    [ContractFact]
    public async Task A_query_resumes_from_any_stored_position_text_without_loss_or_doubles()
    {
        await using var journal = await NewShardedAsync();
        await journal.AppendAsync(Selections.Mixed(0, 40));
        var reader = journal.OpenReader(new() { MaxBufferSize = 7 });
        foreach (var selection in Enum.GetValues<Selection>())
        {
            var all = await reader.Read(selection, live: false).AllAsync();
            var position = ShardedPosition.At(journal.Map);
            for (var cut = 0; cut <= all.Count; cut++)
            {
                var stored = ShardedPosition.Parse(position.ToString());
                var rest = await ReadOn(reader, selection, stored).AllAsync();
                Assert.Equal(all.Texts().Order(), all.Take(cut).Concat(rest).Texts().Order());
                journal.AreExactly([.. all.Take(cut), .. rest], all);
                if (cut < all.Count)
                    position = position.After(all[cut]);
            }
        }
    }

    [ContractFact]
    public async Task An_unavailable_shard_blocks_only_its_own_events()
    {
        await using var journal = new ShardedUnderTest(
            ShardedUnderTest.OfMixed, await NewAbsentJournalAsync(), await NewAbsentJournalAsync(), await NewAbsentJournalAsync());
        const int absent = 1;
        JournalEvent[] events = Selections.Mixed(0, 30);
        JournalEvent[] there = [.. events.Where(each => journal.Map.ShardOf(each.PersistenceId) != absent)];
        await journal.Journals[0].CreateAsync();
        await journal.Journals[2].CreateAsync();
        await journal.AppendAsync(there);
        var reader = journal.OpenReader();
        await using var all = LiveReading.Of(reader.AllEvents());
        await using var tagged = LiveReading.Of(reader.EventsByTag(Selections.Tag));
        await using var ids = LiveReading.Of(reader.PersistenceIds());
        var missing = Ids(events, each => journal.Map.ShardOf(each) == absent);
        await using var waiting = LiveReading.Of(reader.CurrentEventsByPersistenceId(missing[0]));

        journal.AreExactly(await all.UntilAsync(there.Length), there);
        await tagged.UntilAsync(there.Count(each => Selection.Tag.Wants(each)));
        foreach (var id in Ids(there, _ => true))
            Assert.Equal(there.Where(each => each.PersistenceId == id).Numbers(), (await reader.CurrentEventsByPersistenceId(id).AllAsync()).Numbers());
        await ids.UntilAsync(Ids(there, _ => true).Length);
        Assert.Equal(0, waiting.Count);
        var health = await reader.CheckHealthAsync(CancellationToken.None).WithinAsync("a health check of all shards");
        Assert.Equal([true, false, true], health.Select(each => each.UnreadableReason is null));

        await journal.Journals[absent].CreateAsync();
        await journal.AppendAsync([.. events.Except(there)]);

        journal.AreExactly(await all.UntilAsync(events.Length), events);
        journal.AreExactly(await tagged.UntilAsync(events.Count(each => Selection.Tag.Wants(each))), events.Where(each => Selection.Tag.Wants(each)));
        Assert.Equal(Ids(events, _ => true), (await ids.UntilAsync(Ids(events, _ => true).Length)).Order());
        await waiting.Ended.WithinAsync("the events of an id whose shard came late");
    }

    private async Task<ShardedUnderTest> NewShardedAsync(TagMode tags = TagMode.TagTable) =>
        await new ShardedUnderTest(
            ShardedUnderTest.OfMixed, await NewJournalAsync(tags), await NewJournalAsync(tags), await NewJournalAsync(tags)).CreateAsync();

    private static IAsyncEnumerable<JournalEvent> ReadOn(JournalReader reader, Selection selection, ShardedPosition after) => selection switch
    {
        Selection.All => reader.CurrentAllEvents(after),
        Selection.Tag => reader.CurrentEventsByTag(Selections.Tag, after),
        _ => reader.CurrentEventsBySlices(0, Selections.LastSlice, after),
    };

    private static string[] Ids(IEnumerable<JournalEvent> events, Func<string, bool> wants) =>
        [.. events.Select(each => each.PersistenceId).Distinct().Where(wants).Order()];
}
