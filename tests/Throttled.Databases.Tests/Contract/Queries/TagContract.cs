namespace Throttled.Databases.Tests.Contract;

/// <summary>Tags are texts, compared ordinally, wherever the journal stores them.</summary>
public abstract class TagContract(IJournalHost host, ITestOutputHelper output) : JournalContract(host, output)
{
    private static readonly string[] Unusual =
    [
        "blue", "Blue", "BLUE", "blu", "blues", "light blue", "b", "%", "%blue%", "_", "bl_e", "\\", "\\%", "'", "''", "\"", "`", "[blue]", "*", "?",
        " ", " blue", "blue ", "  blue  ", "a b", "a,b", "a:b", "a\tb", "a\nb", "-- blue", "{0}", "$1", "?1", "@p", "null", "NULL", "0", "00",
        "Zoë", "Zoe\u0308", "straße", "strasse", "事件", "事件🎫", "🎫", "🎫🎫", "İ", "i", "I", "ı", "\u200b", "\ufeff", "\u00a0",
        new('t', 63), new('t', 64), new('界', 64), string.Concat(Enumerable.Repeat("🎫", 64)), new('t', 200), new('界', 200),
    ];

    [ContractTheory]
    [InlineData(TagMode.TagTable)]
    [InlineData(TagMode.Csv)]
    public async Task Every_tag_differs_from_every_other(TagMode tags)
    {
        var journal = await NewJournalAsync(tags);
        List<string> all = [.. Unusual.Where(journal.Holds)];
        // The separator of the tag column is an ordinary character in a tag table.
        if (tags == TagMode.TagTable)
            all.AddRange([";", "a;b", ";blue;", "blue;"]);
        JournalEvent[] events = [.. Tagged(all, 0), .. Tagged(all, 200)];
        await journal.AppendAsync(events);
        var (meter, reader) = StatementMeter.Of(() => journal.OpenReader(new() { MaxBufferSize = 3 }));
        var readings = all.Select(tag => LiveReading.Of(reader.EventsByTag(tag))).ToList();
        foreach (var tag in all)
            (await reader.CurrentEventsByTag(tag).AllAsync()).AreExactly(With(tag, events));
        await meter.UntilFollowingAsync(all.Count);

        JournalEvent[] more = [.. Tagged(all, 400)];
        await journal.AppendAsync(more);

        foreach (var (tag, reading) in all.Zip(readings))
        {
            var expected = With(tag, [.. events, .. more]);
            (await reading.UntilAsync(expected.Count)).AreExactly(expected);
            await reading.DisposeAsync();
        }
    }

    [ContractTheory]
    [InlineData(TagMode.TagTable)]
    [InlineData(TagMode.Csv)]
    public async Task A_tag_without_events_finds_none(TagMode tags)
    {
        var journal = await NewJournalAsync(tags);
        await journal.AppendAsync(TestEvents.One("a", 1).With("blue", "green"), TestEvents.One("a", 2));
        var reader = journal.OpenReader();

        foreach (var tag in (string[])["lue", "blue,green", "%", "BLUE", "blue ", "green blue", "red", new('t', 10_000)])
            Assert.Empty(await reader.CurrentEventsByTag(tag).AllAsync());
    }

    [ContractTheory]
    [InlineData(TagMode.TagTable)]
    [InlineData(TagMode.Csv)]
    public async Task An_event_with_many_tags_comes_once_for_each_tag(TagMode tags)
    {
        var journal = await NewJournalAsync(tags);
        string[] many = [.. Enumerable.Range(0, 100).Select(i => $"tag{i}")];
        await journal.AppendAsync(TestEvents.One("a", 1).With(many));
        var reader = journal.OpenReader();

        foreach (var tag in many)
        {
            var found = Assert.Single(await reader.CurrentEventsByTag(tag).AllAsync());
            Assert.Equal(many.Order(StringComparer.Ordinal), found.Tags.Order(StringComparer.Ordinal));
        }
    }

    [ContractTheory]
    [InlineData(TagMode.TagTable)]
    [InlineData(TagMode.Csv)]
    public async Task An_event_that_has_a_tag_twice_comes_once(TagMode tags)
    {
        var journal = await NewJournalAsync(tags);
        var (meter, reader) = StatementMeter.Of(() => journal.OpenReader());
        await using var live = LiveReading.Of(reader.EventsByTag("blue"));
        await meter.UntilFollowingAsync(1);
        await journal.AppendAsync(TestEvents.One("a", 1).With("blue", "green", "blue"), TestEvents.One("a", 2).With("blue"));

        Assert.Equal([1, 2], (await live.UntilAsync(2)).Numbers());
        Assert.Equal([1, 2], (await reader.CurrentEventsByTag("blue").AllAsync()).Numbers());
    }

    // Very few events of these journals have tags.
    [ContractTheory]
    [InlineData(TagMode.TagTable)]
    [InlineData(TagMode.Csv)]
    public async Task Rare_tags_are_found_among_very_many_events(TagMode tags)
    {
        var journal = await NewJournalAsync(tags);
        await journal.AppendAsync(TestEvents.One("rare", 1).With("rare"));
        for (var i = 0; i < 12; i++)
            await journal.AppendAsync("many", 1 + (i * 10_000), 10_000);
        await journal.AppendAsync(TestEvents.One("rare", 2).With("rare", "rarest"));
        var (meter, reader) = StatementMeter.Of(() => journal.OpenReader());

        Assert.Equal([1, 2], (await reader.CurrentEventsByTag("rare").AllAsync()).Numbers());
        Assert.Equal([2], (await reader.CurrentEventsByTag("rarest").AllAsync()).Numbers());
        Assert.Empty(await reader.CurrentEventsByTag("rares").AllAsync());
        await using var live = LiveReading.Of(reader.EventsByTag("rare"));
        await meter.UntilFollowingAsync(1);
        await journal.AppendAsync(TestEvents.One("rare", 3).With("rare"));
        Assert.Equal([1, 2, 3], (await live.UntilAsync(3)).Numbers());
    }

    [ContractTheory]
    [InlineData(TagMode.TagTable, ";")]
    [InlineData(TagMode.Csv, ";")]
    [InlineData(TagMode.Csv, ",")]
    public async Task A_tag_with_the_separator_is_refused_only_in_tag_columns(TagMode tags, string separator)
    {
        var layout = Layouts.Named("default", tags) with { TagSeparator = separator[0] };
        var journal = await NewJournalAsync(layout);
        var reader = journal.OpenReader();
        foreach (var tag in (string[])[separator, $"a{separator}b", $"{separator}blue{separator}"])
        {
            if (tags == TagMode.TagTable)
            {
                Assert.Empty(await reader.CurrentEventsByTag(tag).AllAsync());
                continue;
            }
            foreach (var live in (bool[])[false, true])
            {
                var error = Assert.Throws<ArgumentException>("tag", () => live ? reader.EventsByTag(tag) : reader.CurrentEventsByTag(tag));
                Assert.Contains($"The tag \"{tag}\" contains '{separator}'", error.Message, StringComparison.Ordinal);
            }
        }
    }

    [ContractTheory]
    [InlineData(TagMode.TagTable)]
    [InlineData(TagMode.Csv)]
    public async Task An_invalid_tag_is_refused(TagMode tags)
    {
        var journal = await NewJournalAsync(tags);
        var reader = journal.OpenReader();
        foreach (var tag in (string?[])[null, "", "\ud83c", "a\udfabb", "\udfab\ud83c"])
        {
            Assert.ThrowsAny<ArgumentException>(() => reader.EventsByTag(tag!));
            Assert.ThrowsAny<ArgumentException>(() => reader.CurrentEventsByTag(tag!));
        }
    }

    // Each tag alone, and with its neighbours.
    private static IEnumerable<JournalEvent> Tagged(List<string> tags, int after) =>
        tags.SelectMany((tag, i) => (JournalEvent[])
        [
            TestEvents.One("alone", after + i + 1).With(tag),
            TestEvents.One("beside", after + i + 1).With(tags[(i + 1) % tags.Count], tag, tags[(i + 7) % tags.Count]),
        ]);

    private static List<string> With(string tag, IEnumerable<JournalEvent> events) =>
        [.. events.Where(each => each.Tags.Contains(tag, StringComparer.Ordinal)).Texts()];
}
