namespace Throttled.Databases.Tests.Contract;

/// <summary>Every query treats an event with a payload above the limit as the options say, and never reads its payload.</summary>
public abstract class LargePayloadContract(IJournalHost host, ITestOutputHelper output) : JournalContract(host, output)
{
    private const int Most = 100;

    // Their ids are in the slices that are queried.
    private static readonly string Id = TestEvents.Ids("id", 100).First(id => JournalSlices.Of(id) <= Selections.LastSlice);

    // The last two are as before serializer ids existed.
    private static readonly JournalEvent[] Events =
    [
        Sized(1, Most), Sized(2, Most + 1), Sized(3, Most), Sized(4, 5_000_000, serializerId: null), Sized(5, 1, serializerId: null),
    ];

    public static TheoryData<TagMode, LargePayloadAction, int> Cases()
    {
        var data = new TheoryData<TagMode, LargePayloadAction, int>();
        foreach (var policy in Enum.GetValues<LargePayloadAction>())
        {
            data.Add(TagMode.TagTable, policy, 500);
            data.Add(TagMode.Csv, policy, 1);
        }
        return data;
    }

    [ContractTheory]
    [MemberData(nameof(Cases))]
    public async Task A_payload_one_byte_over_the_limit_is_refused_by_every_query_that_reads_pages(TagMode tags, LargePayloadAction policy, int pageSize)
    {
        var journal = await NewJournalAsync(tags);
        await journal.AppendAsync(Events);
        var reader = journal.OpenReader(new() { MaxPayloadBytes = Most, OnLargePayload = policy, MaxBufferSize = pageSize });

        foreach (var query in Queries(reader, live: true).Concat(Queries(reader, live: false)))
        {
            await using var reading = LiveReading.Of(query);
            await CheckAsync(reading, policy);
        }
        Assert.Equal([Id], await reader.CurrentPersistenceIds().AllAsync());
    }

    [ContractTheory]
    [MemberData(nameof(Cases))]
    public async Task A_payload_one_byte_over_the_limit_is_refused_by_every_query_that_follows(TagMode tags, LargePayloadAction policy, int pageSize)
    {
        var journal = await NewJournalAsync(tags);
        var (meter, reader) = StatementMeter.Of(
            () => journal.OpenReader(new() { MaxPayloadBytes = Most, OnLargePayload = policy, MaxBufferSize = pageSize }));
        var readings = Queries(reader, live: true).Select(query => LiveReading.Of(query)).ToList();
        await meter.UntilFollowingAsync(readings.Count);

        await journal.AppendAsync(Events);

        foreach (var reading in readings)
        {
            await CheckAsync(reading, policy);
            await reading.DisposeAsync();
        }
    }

    [ContractFact]
    public async Task Without_a_limit_payloads_of_any_length_are_read()
    {
        var journal = await NewJournalAsync();
        await journal.AppendAsync(Events);

        foreach (var query in Queries(journal.OpenReader(), live: false))
            Assert.Equal([Most, Most + 1, Most, 5_000_000, 1], (await query.AllAsync()).Select(each => each.Payload.Length));
    }

    [ContractFact]
    public async Task A_large_payload_fails_only_the_query_of_a_statement_that_wants_it()
    {
        var journal = await NewJournalAsync();
        var ids = TestEvents.Ids("id", 99);
        var culprits = TestEvents.Of("culprit", 1, 12);
        culprits[6] = Sized(7, Most + 1, "culprit");
        await journal.AppendAsync([.. TestEvents.OfEach(ids, 1, 12), .. culprits]);
        var (meter, reader) = StatementMeter.Of(
            () => journal.OpenReader(new() { MaxPayloadBytes = Most, MaxBufferSize = 5, MaxConcurrentQueries = 1 }));
        await using var before = new Crowd(reader, ids[..50]);
        await using var culprit = LiveReading.Of(reader.EventsByPersistenceId("culprit"));
        await using var behind = new Crowd(reader, ids[50..]);

        await before.UntilAsync(50 * 12);
        await behind.UntilAsync(49 * 12);

        var error = await Assert.ThrowsAsync<JournalException>(() => culprit.Ended.WithinAsync("the failure of the query for the large event"));
        Assert.StartsWith("The payload of event 7 of 'culprit' (ordering ", error.Message, StringComparison.Ordinal);
        Assert.EndsWith(
            ") has 101 bytes; 'MaxPayloadBytes' is 100. Raise 'MaxPayloadBytes', or set 'OnLargePayload' to Skip or OmitPayload.",
            error.Message, StringComparison.Ordinal);
        Assert.Equal([1, 2, 3, 4, 5, 6], culprit.Events.Numbers());
        await meter.UntilFollowingAsync(99);
    }

    [ContractTheory]
    [InlineData(LargePayloadAction.Skip, true)]
    [InlineData(LargePayloadAction.Skip, false)]
    [InlineData(LargePayloadAction.OmitPayload, true)]
    [InlineData(LargePayloadAction.OmitPayload, false)]
    public async Task A_live_query_whose_last_event_is_too_large_ends_at_it(LargePayloadAction policy, bool isFollowing)
    {
        var journal = await NewJournalAsync();
        await journal.AppendAsync(Events[0]);
        var (meter, reader) = StatementMeter.Of(() => journal.OpenReader(new() { MaxPayloadBytes = Most, OnLargePayload = policy }));
        if (!isFollowing)
            await journal.AppendAsync(Events[1]);
        await using var reading = LiveReading.Of(reader.EventsByPersistenceId(Id, 1, 2));
        if (isFollowing)
        {
            await meter.UntilFollowingAsync(1);
            await journal.AppendAsync(Events[1]);
        }

        await reading.Ended.WithinAsync("the end of the query");

        Assert.Equal(policy == LargePayloadAction.Skip ? [1] : [1, 2], reading.Events.Numbers());
    }

    private static async Task CheckAsync(LiveReading<JournalEvent> reading, LargePayloadAction policy)
    {
        if (policy == LargePayloadAction.Fail)
        {
            var error = await Assert.ThrowsAsync<JournalException>(() => reading.Ended.WithinAsync("the failure at the large event"));
            Assert.Contains($"event 2 of '{Id}'", error.Message, StringComparison.Ordinal);
            Assert.Equal([1], reading.Events.Numbers());
            return;
        }
        JournalEvent[] wanted = policy == LargePayloadAction.Skip ? [Events[0], Events[2], Events[4]] : Events;
        var found = await reading.UntilAsync(wanted.Length);
        Assert.Equal(wanted.Select(Shown), found.Select(each => Shown(each)));
        Assert.Equal(wanted.Select(each => each.Payload.Length > Most ? each.Payload.Length : 0), found.Select(each => each.OmittedPayloadBytes));
    }

    // All except the payloads that are too large.
    private static string Shown(JournalEvent each) => FormattableString.Invariant(
        $"{each.PersistenceId} {each.SequenceNumber} {each.Timestamp} {each.SerializerId} {each.Manifest} {string.Join(' ', each.Tags)} ")
        + (each.Payload.Length is > 0 and <= Most ? TestEvents.TextOf(each) : "");

    private static IEnumerable<IAsyncEnumerable<JournalEvent>> Queries(JournalReader reader, bool live) =>
        [reader.Events(live, Id), .. Enum.GetValues<Selection>().Select(selection => reader.Read(selection, live))];

    private static JournalEvent Sized(long number, int bytes, string? id = null) => Sized(number, bytes, 7, id);

    private static JournalEvent Sized(long number, int bytes, int? serializerId, string? id = null) => new()
    {
        PersistenceId = id ?? Id,
        SequenceNumber = number,
        Timestamp = 638_000_000_000_000_000 + number,
        Payload = Enumerable.Repeat((byte)('a' + number), bytes).ToArray(),
        SerializerId = serializerId,
        Manifest = $"kind {number}",
        Tags = [Selections.Tag],
    };
}
