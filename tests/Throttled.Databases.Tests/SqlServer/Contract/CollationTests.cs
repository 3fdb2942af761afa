namespace Throttled.Journal.SqlServer.Tests.Contract;

/// <summary>The server treats texts as equal that differ in case or in spaces at the end. Queries never do.</summary>
[Collection(ServerCollection.Name)]
public sealed class CollationTests(SqlServerHost host, ITestOutputHelper output) : JournalContract(host, output)
{
    // If more than two ids are equal to the server, a scan returns the first written and the last written one.
    private static readonly string[] Ids = ["a", "A", "b", "b "];

    private static readonly string[] Tags = ["blue", "Blue", "blue ", "BLUE  "];

    public static TheoryData<TagMode, int> Journals() => new()
    {
        { TagMode.TagTable, 1 }, { TagMode.TagTable, 3 }, { TagMode.TagTable, 500 }, { TagMode.Csv, 1 }, { TagMode.Csv, 3 }, { TagMode.Csv, 500 },
    };

    [SqlServerTheory]
    [MemberData(nameof(Journals))]
    public async Task Ids_and_tags_that_are_equal_to_the_server_differ_in_every_query(TagMode tags, int page)
    {
        var journal = await NewJournalAsync(tags);
        var (before, after) = (Events(1, 24), Events(25, 12));
        await journal.AppendAsync(before);
        var (meter, reader) = StatementMeter.Of(() => journal.OpenReader(new() { MaxBufferSize = page }));
        var queries = Ids.Select(ById).Concat(Tags.Select(ByTag)).ToList();
        var readings = queries.ConvertAll(query => LiveReading.Of(query.Live(reader)));
        await using var ids = LiveReading.Of(reader.PersistenceIds());

        foreach (var query in queries)
            (await query.Current(reader).AllAsync()).AreExactly(before.Where(query.Wants).Texts());
        Assert.Equal(Ids.Order(StringComparer.Ordinal), (await reader.CurrentPersistenceIds().AllAsync()).Order(StringComparer.Ordinal));
        await meter.UntilFollowingAsync(queries.Count + 1);
        await journal.AppendAsync(after);

        foreach (var (query, reading) in queries.Zip(readings))
        {
            List<string> expected = [.. before.Concat(after).Where(query.Wants).Texts()];
            (await reading.UntilAsync(expected.Count)).AreExactly(expected);
            await reading.DisposeAsync();
        }
        Assert.Equal(Ids.Order(StringComparer.Ordinal), (await ids.UntilAsync(Ids.Length)).Order(StringComparer.Ordinal));
    }

    [SqlServerTheory]
    [InlineData(1)]
    [InlineData(500)]
    public async Task Two_spellings_of_an_id_are_two_ids(int page)
    {
        var journal = await NewJournalAsync();
        await journal.AppendAsync([.. TestEvents.Of("order", 1, 3), .. TestEvents.Of("other", 1, 2), .. TestEvents.Of("Order", 4, 3)]);
        var reader = journal.OpenReader(new() { MaxBufferSize = page });
        string[] all = ["Order", "order", "other"];

        Assert.Equal(all, (await reader.CurrentPersistenceIds().AllAsync()).Order(StringComparer.Ordinal));
        await using var live = LiveReading.Of(reader.PersistenceIds());
        await live.UntilAsync(3);
        await journal.AppendAsync("ORDER", 7, 1);

        Assert.Equal(["ORDER", .. all], (await live.UntilAsync(4)).Order(StringComparer.Ordinal));
    }

    // All spellings share one series of sequence numbers because of the unique key. Each tag comes with each spelling.
    private static JournalEvent[] Events(int from, int count) =>
        [.. Enumerable.Range(from, count).Select(i => TestEvents.One(Ids[i % Ids.Length], i).With(Tags[i / Ids.Length % Tags.Length]))];

    private static Query ById(string id) => new(
        reader => reader.EventsByPersistenceId(id), reader => reader.CurrentEventsByPersistenceId(id), each => each.PersistenceId == id);

    private static Query ByTag(string tag) => new(
        reader => reader.EventsByTag(tag), reader => reader.CurrentEventsByTag(tag), each => each.Tags.Contains(tag, StringComparer.Ordinal));

    private sealed record Query(
        Func<JournalReader, IAsyncEnumerable<JournalEvent>> Live, Func<JournalReader, IAsyncEnumerable<JournalEvent>> Current, Func<JournalEvent, bool> Wants);
}
