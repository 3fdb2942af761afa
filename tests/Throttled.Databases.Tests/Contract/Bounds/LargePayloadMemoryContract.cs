namespace Throttled.Databases.Tests.Contract;

/// <summary>A payload above the limit costs the reader no memory. Runs alone, because it measures the whole process.</summary>
public abstract class LargePayloadMemoryContract(IJournalHost host, ITestOutputHelper output) : JournalContract(host, output)
{
    private const int Large = 50 << 20;
    private const int Most = 1 << 20;

    // Its id is in the slices that are queried.
    private static readonly string Id = TestEvents.Ids("id", 100).First(id => JournalSlices.Of(id) <= Selections.LastSlice);

    [ContractTheory]
    [InlineData(TagMode.TagTable)]
    [InlineData(TagMode.Csv)]
    public async Task A_skipped_payload_of_50_MB_is_never_in_memory(TagMode tags)
    {
        var journal = await NewJournalAsync(tags);
        await journal.AppendAsync(Event(1, 10), Event(2, Large), Event(3, 10));
        var (meter, reader) = StatementMeter.Of(() => journal.OpenReader(new() { MaxPayloadBytes = Most, OnLargePayload = LargePayloadAction.OmitPayload }));
        await ReadAsync(reader, 3);
        List<LiveReading<JournalEvent>> followers = [LiveReading.Of(reader.EventsByPersistenceId(Id)), LiveReading.Of(reader.AllEvents())];
        await meter.UntilFollowingAsync(followers.Count);

        var before = GC.GetTotalAllocatedBytes(precise: true);
        await ReadAsync(reader, 3);
        await CopyAsync(journal, from: 2, to: 4);
        foreach (var each in followers)
            Assert.Equal([0, Large, 0, Large], (await each.UntilAsync(4)).Select(each => each.OmittedPayloadBytes));
        var allocated = GC.GetTotalAllocatedBytes(precise: true) - before;

        Output.WriteLine($"{allocated >> 10} KiB were allocated.");
        foreach (var each in followers)
            await each.DisposeAsync();
        Assert.True(allocated < Large / 10, $"{allocated} bytes were allocated; the bound is a tenth of one payload, {Large / 10}.");
    }

    private static async Task ReadAsync(JournalReader reader, int count)
    {
        foreach (var query in Enum.GetValues<Selection>().Select(selection => reader.Read(selection, live: false)).Append(reader.CurrentEventsByPersistenceId(Id)))
        {
            var events = await query.AllAsync();
            Assert.Equal(count, events.Count);
            Assert.Equal(Large, events[1].OmittedPayloadBytes);
        }
    }

    // The payload is created in the database, so that it does not pass through this process.
    private static Task CopyAsync(JournalUnderTest journal, long from, long to)
    {
        var tables = journal.Tables;
        var number = journal.Quote(tables.SequenceNumberColumn);
        var others = string.Join(", ", new[]
        {
            tables.DeletedColumn, tables.PersistenceIdColumn, tables.TimestampColumn, tables.PayloadColumn, tables.SerializerIdColumn, tables.ManifestColumn,
        }.Select(journal.Quote));
        return journal.ExecuteAsync(
            $"INSERT INTO {journal.Table} ({number}, {others}) SELECT {to}, {others} FROM {journal.Table} WHERE {number} = {from}");
    }

    private static JournalEvent Event(long number, int bytes)
    {
        // The database cannot compress it.
        var payload = new byte[bytes];
        new Random(1).NextBytes(payload);
        return new() { PersistenceId = Id, SequenceNumber = number, Payload = payload, Tags = [Selections.Tag] };
    }
}
