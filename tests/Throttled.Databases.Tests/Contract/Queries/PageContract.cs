namespace Throttled.Databases.Tests.Contract;

/// <summary>The size of a page does not change the result of a query.</summary>
public abstract class PageContract(IJournalHost host, ITestOutputHelper output) : JournalContract(host, output)
{
    public static TheoryData<bool, int> Pages()
    {
        var data = new TheoryData<bool, int>();
        foreach (var page in (int[])[1, 2, 10, 500])
        {
            data.Add(false, page);
            data.Add(true, page);
        }
        return data;
    }

    [ContractTheory]
    [MemberData(nameof(Pages))]
    public async Task Any_number_of_events_comes_with_every_page_size(bool live, int page)
    {
        var journal = await NewJournalAsync();
        int[] counts = [0, 1, page - 1, page, page + 1, 3 * page];
        foreach (var count in counts.Distinct())
            await journal.AppendAsync($"id-{count}", 1, count);
        var reader = journal.OpenReader(new() { MaxBufferSize = page });

        foreach (var count in counts)
        {
            var query = reader.Events(live, $"id-{count}");
            var events = live ? await query.FirstOrNoneAsync(count) : await query.AllAsync();
            Assert.Equal(Reading.Numbers(1, count), events.Numbers());
        }
    }

    [ContractTheory]
    [MemberData(nameof(Pages))]
    public async Task Live_queries_of_every_length_go_on_with_the_next_event(bool together, int page)
    {
        var journal = await NewJournalAsync();
        int[] counts = [.. new[] { 0, 1, page - 1, page, page + 1, 3 * page }.Distinct()];
        foreach (var count in counts)
            await journal.AppendAsync($"id-{count}", 1, count);
        var (meter, reader) = StatementMeter.Of(() => journal.OpenReader(new() { MaxBufferSize = page }));
        var readings = counts.Select(count => LiveReading.Of(reader.EventsByPersistenceId($"id-{count}"))).ToList();
        await meter.UntilFollowingAsync(counts.Length);

        var more = counts.SelectMany(count => TestEvents.Of($"id-{count}", count + 1, (2 * page) + 1)).ToList();
        if (together)
            await journal.AppendAsync(more);
        else
        {
            foreach (var id in more.GroupBy(each => each.PersistenceId))
                await journal.AppendAsync([.. id]);
        }

        foreach (var (count, reading) in counts.Zip(readings))
        {
            var all = count + (2 * page) + 1;
            Assert.Equal(Reading.Numbers(1, all), (await reading.UntilAsync(all)).Numbers());
            await reading.DisposeAsync();
        }
    }

    [ContractTheory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Many_queries_share_statements_and_each_gets_its_own_events(bool live)
    {
        var journal = await NewJournalAsync();
        var ids = TestEvents.Ids("id", 300);
        await journal.AppendAsync([.. TestEvents.OfEach(ids, 1, 25)]);
        var (meter, reader) = StatementMeter.Of(() => journal.OpenReader(
            new() { MaxBufferSize = 10, MaxConcurrentQueries = 4, MaxQueriesPerStatement = 50, MaxRowsPerStatement = 333 }));

        var all = await Task.WhenAll(ids.Select(id => reader.Events(live, id, 0, 25).AllAsync()));

        foreach (var (id, events) in ids.Zip(all))
        {
            Assert.Equal(Reading.Numbers(1, 25), events.Numbers());
            Assert.All(events, each => Assert.Equal(TestEvents.Text(id, each.SequenceNumber), TestEvents.TextOf(each)));
        }
        Assert.True(meter.Of("page") < 300, $"300 queries of three pages took {meter.Of("page")} statements.");
    }

    [ContractFact]
    public async Task Many_readers_of_one_id_each_get_all_events()
    {
        var journal = await NewJournalAsync();
        await journal.AppendAsync("a", 1, 25);
        var (meter, reader) = StatementMeter.Of(() => journal.OpenReader(new() { MaxBufferSize = 10 }));
        await using var crowd = new Crowd(reader, [.. Enumerable.Repeat("a", 200)]);
        await crowd.UntilAsync(200 * 25);
        await meter.UntilFollowingAsync(200);

        await journal.AppendAsync("a", 26, 25);

        await crowd.UntilAsync(200 * 50);
    }

    [ContractTheory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Each_enumeration_of_a_query_starts_again(bool live)
    {
        var journal = await NewJournalAsync();
        await journal.AppendAsync("a", 1, 5);
        var query = journal.OpenReader(new() { MaxBufferSize = 2 }).Events(live, "a", 2, 5);

        var together = await Task.WhenAll(query.AllAsync(), query.AllAsync());

        Assert.All([.. together, await query.AllAsync()], events => Assert.Equal([2, 3, 4, 5], events.Numbers()));
    }
}
