namespace Throttled.Databases.Tests.Contract;

/// <summary>An event is read as it was appended, whatever its values and the names of the tables.</summary>
public abstract class FieldContract(IJournalHost host, ITestOutputHelper output) : JournalContract(host, output)
{
    private static readonly string LongText = string.Concat(Enumerable.Repeat("Ärger 事件 🎫 ", 38));

    private static readonly string[] Ids =
    [
        "it's", "\"quoted\"", "a b  c ", " ", "100%", "_", "a\\b", "semi;colon--", "Zoë/事件/🎫", "e\u0301", "A", "a", "a\tb\nc", "$1 @p ?1 {0}",
        new('x', 255), new('界', 255),
    ];

    private static readonly string[] UnusualTags = ["it's", "a b", " ", "\"", "%", "\\", "Zoë", "事件🎫", "ONE", "one", new('t', 64)];

    [ContractTheory]
    [MemberData(nameof(Layouts.All), MemberType = typeof(Layouts))]
    public async Task Every_field_comes_back_as_it_was_appended(string layout, TagMode tags)
    {
        var journal = await NewJournalAsync(Layouts.Named(layout, tags));
        JournalEvent[] appended = [.. Unusual(journal, "before")];
        await journal.AppendAsync(appended);
        var (meter, reader) = StatementMeter.Of(() => journal.OpenReader(new() { MaxBufferSize = 3 }));

        await using var live = LiveReading.Of(reader.EventsByPersistenceId("before"));
        Same(appended, await live.UntilAsync(appended.Length));
        Same(appended, await reader.CurrentEventsByPersistenceId("before").AllAsync());
        await meter.UntilFollowingAsync(1);
        JournalEvent[] more = [.. Unusual(journal, "before", appended.Length)];
        await journal.AppendAsync(more);
        Same([.. appended, .. more], await live.UntilAsync(2 * appended.Length));
    }

    [ContractTheory]
    [MemberData(nameof(Layouts.All), MemberType = typeof(Layouts))]
    public async Task Every_field_is_the_same_in_every_query(string layout, TagMode tags)
    {
        var journal = await NewJournalAsync(Layouts.Named(layout, tags));
        JournalEvent[] before = [.. Unusual(journal, "id")], all = [.. before, .. Unusual(journal, "id", before.Length)];
        await journal.AppendAsync(before);
        var (meter, reader) = StatementMeter.Of(() => journal.OpenReader(new() { MaxBufferSize = 3 }));
        var slice = JournalSlices.Of("id");
        (IAsyncEnumerable<JournalEvent> Query, string? Tag)[] live =
        [
            (reader.AllEvents(), null), (reader.EventsBySlices(slice, slice), null), (reader.EventsByPersistenceId("id"), null),
            (reader.EventsByTag("one"), "one"), (reader.EventsByTag("it's"), "it's"),
        ];
        var readings = live.Select(each => (Reading: LiveReading.Of(each.Query), each.Tag)).ToList();
        await meter.UntilFollowingAsync(readings.Count);
        await journal.AppendAsync(all[before.Length..]);

        foreach (var (reading, tag) in readings)
        {
            var expected = With(tag, all);
            Same(expected, await reading.UntilAsync(expected.Length));
            await reading.DisposeAsync();
        }
        await SameInCurrentQueriesAsync(reader, all);
        Assert.Equal("id", Assert.Single(await reader.CurrentPersistenceIds().AllAsync()));
    }

    [ContractTheory]
    [InlineData(TagMode.TagTable)]
    [InlineData(TagMode.Csv)]
    public async Task Missing_values_in_a_row_of_an_older_plugin_stay_missing(TagMode tags)
    {
        var journal = await NewJournalAsync(tags);
        var (meter, reader) = StatementMeter.Of(() => journal.OpenReader());
        await using var live = LiveReading.Of(reader.AllEvents());
        await meter.UntilFollowingAsync(1);
        // Without serializer id and manifest, and with NULL instead of an empty list of tags.
        await journal.ExecuteAsync(
            $"INSERT INTO {journal.Table} (deleted, persistence_id, sequence_number, created, message) VALUES ({journal.False}, 'old', 1, 5, {journal.NoBytes})");

        List<JournalEvent> found =
        [
            .. await live.UntilAsync(1), .. await reader.CurrentAllEvents().AllAsync(), .. await reader.CurrentEventsBySlices(0, 1023).AllAsync(),
            .. await reader.CurrentEventsByPersistenceId("old").AllAsync(),
        ];

        Assert.Equal(4, found.Count);
        JournalEvent old = new() { PersistenceId = "old", SequenceNumber = 1, Timestamp = 5, Payload = Array.Empty<byte>() };
        Assert.All(found, each => Same(old, each));
    }

    [ContractTheory]
    [InlineData(TagMode.TagTable)]
    [InlineData(TagMode.Csv)]
    public async Task Every_id_differs_from_every_other(TagMode tags)
    {
        var journal = await NewJournalAsync(Layouts.Named("default", tags));
        string[] ids = [.. journal.Distinct(Ids)];
        await journal.AppendAsync([.. TestEvents.OfEach(ids, 1, 3)]);
        var (meter, reader) = StatementMeter.Of(() => journal.OpenReader(new() { MaxBufferSize = 2 }));
        var current = await Task.WhenAll(ids.Select(id => reader.CurrentEventsByPersistenceId(id).AllAsync()));
        await using var crowd = new Crowd(reader, ids);
        await meter.UntilFollowingAsync(ids.Length);

        await journal.AppendAsync([.. TestEvents.OfEach(ids, 4, 3)]);

        await crowd.UntilAsync(6 * ids.Length);
        Assert.All(ids.Zip(current), pair => Assert.Equal(TestEvents.Of(pair.First, 1, 3).Texts(), pair.Second.Texts()));
    }

    [ContractFact]
    public async Task Events_without_a_timestamp_get_one_when_they_are_appended()
    {
        var journal = await NewJournalAsync();
        var before = TimeProvider.System.GetUtcNow().UtcTicks;
        await journal.AppendAsync(new JournalEvent { PersistenceId = "a", SequenceNumber = 1, Payload = new byte[1] });

        var found = Assert.Single(await journal.OpenReader().CurrentEventsByPersistenceId("a").AllAsync());

        Assert.InRange(found.Timestamp, before, TimeProvider.System.GetUtcNow().UtcTicks);
    }

    private static async Task SameInCurrentQueriesAsync(JournalReader reader, JournalEvent[] all)
    {
        var found = await reader.CurrentAllEvents().AllAsync();
        Same(all, found);
        var slice = JournalSlices.Of("id");
        Same(found, await reader.CurrentEventsBySlices(slice, slice).AllAsync(), withOrdering: true);
        Same(found, await reader.CurrentEventsByPersistenceId("id").AllAsync(), withOrdering: true);
        foreach (var tag in all.SelectMany(each => each.Tags).Distinct())
            Same(With(tag, found), await reader.CurrentEventsByTag(tag).AllAsync(), withOrdering: true);
    }

    private static JournalEvent[] With(string? tag, IEnumerable<JournalEvent> events) =>
        [.. events.Where(each => tag is null || each.Tags.Contains(tag, StringComparer.Ordinal))];

    private static IEnumerable<JournalEvent> Unusual(JournalUnderTest journal, string id, int after = 0)
    {
        var million = new byte[1 << 20];
        new Random(17).NextBytes(million);
        JournalEvent[] events =
        [
            Event([]),
            Event([0]),
            Event([0, 255, 39, 34, 92, 10, 0]),
            Event(million, tags: ["big"]),
            Event([1], serializer: null),
            Event([1], serializer: 0),
            Event([1], serializer: int.MaxValue),
            Event([1], serializer: int.MinValue),
            Event([1], timestamp: 1),
            Event([1], timestamp: DateTime.MaxValue.Ticks),
            Event([1], manifest: ""),
            Event([1], manifest: LongText),
            Event([1], manifest: "A.B+C, D; 'E' \"F\" %"),
            Event([1], tags: ["one"]),
            Event([1], tags: ["one", "two", "three"]),
            Event([1], tags: [.. Enumerable.Range(0, 40).Select(i => $"tag{i}")]),
            Event([1], tags: [.. UnusualTags.Where(journal.Holds)]),
        ];
        return events.Select((each, i) => new JournalEvent
        {
            PersistenceId = id,
            SequenceNumber = after + i + 1,
            Timestamp = each.Timestamp,
            Payload = each.Payload,
            SerializerId = each.SerializerId,
            Manifest = each.Manifest,
            Tags = each.Tags,
        });
    }

    private static JournalEvent Event(
        byte[] payload, int? serializer = 7, string manifest = "m", string[]? tags = null, long timestamp = 638_012_345_678_901_234) => new()
    {
        PersistenceId = "",
        SequenceNumber = 0,
        Payload = payload,
        SerializerId = serializer,
        Manifest = manifest,
        Tags = tags ?? [],
        Timestamp = timestamp,
    };

    private static void Same(IReadOnlyList<JournalEvent> expected, IReadOnlyList<JournalEvent> found, bool withOrdering = false)
    {
        if (withOrdering)
            Assert.Equal(expected.Orderings(), found.Orderings());
        Assert.Equal(expected.Count, found.Count);
        Assert.All(expected.Zip(found), pair => Same(pair.First, pair.Second));
        Assert.All(found.Zip(found.Skip(1)), pair => Assert.True(pair.First.Ordering < pair.Second.Ordering));
    }

    private static void Same(JournalEvent expected, JournalEvent found)
    {
        Assert.True(found.Ordering > 0);
        Assert.Equal(expected.PersistenceId, found.PersistenceId);
        Assert.Equal(expected.SequenceNumber, found.SequenceNumber);
        Assert.Equal(expected.Timestamp, found.Timestamp);
        Assert.True(expected.Payload.Span.SequenceEqual(found.Payload.Span), $"The payload of {found.SequenceNumber} differs.");
        Assert.Equal(expected.SerializerId, found.SerializerId);
        Assert.Equal(expected.Manifest, found.Manifest);
        Assert.Equal(expected.Tags.Order(StringComparer.Ordinal), found.Tags.Order(StringComparer.Ordinal));
    }
}
