namespace Throttled.Databases.Tests.Contract;

/// <summary>Queries in journal order stay within the journal's byte limit too, beside paused readers.</summary>
public abstract class OrderedBudgetContract(IJournalHost host, ITestOutputHelper output) : JournalContract(host, output)
{
    private const int Payload = 1 << 20;
    private const int Budget = 8 * Payload;
    private const int Permits = 4;
    private const int Events = 60;

    [ContractTheory]
    [InlineData(TagMode.TagTable)]
    [InlineData(TagMode.Csv)]
    public async Task Megabytes_of_events_are_delivered_within_the_byte_limit(TagMode tags)
    {
        var journal = await NewJournalAsync(tags);
        for (var i = 0; i < Events; i += 10)
            await AppendAsync(journal, i, 10);
        var (meter, reader) = StatementMeter.Of(() => journal.OpenReader(
            new() { MaxBufferedBytes = Budget, MaxConcurrentQueries = Permits, MaxBufferSize = 3 }));
        var wakeUp = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var paused = Enum.GetValues<Selection>().Select(selection => CountAsync(reader, selection, Events, wakeUp.Task)).ToList();
        // Half of the events come while the queries follow.
        List<Task> awake = [];
        for (var i = 0; i < 4; i++)
            awake.AddRange(Enum.GetValues<Selection>().Select(selection => CountAsync(reader, selection, 2 * Events, Task.CompletedTask)));
        var writing = Task.Run(async () =>
        {
            for (var i = Events; i < 2 * Events; i += 10)
                await AppendAsync(journal, i, 10);
        });

        var most = 0L;
        await Wait.UntilAsync(
            () =>
            {
                most = Math.Max(most, meter.Buffered);
                return awake.TrueForAll(task => task.IsCompleted);
            },
            "the events of the readers that are awake, beside some that sleep",
            TimeSpan.FromMinutes(3));
        await writing;
        wakeUp.SetResult();
        await Task.WhenAll([.. awake, .. paused]).WithinAsync("the events of the paused readers");
        Output.WriteLine($"At most {most >> 20} MB counted; {meter}.");

        // One more row for each running statement, and one for the tail's; queries of one statement share a row.
        Assert.True(most <= Budget + ((Permits + 1L) * 15 * (Payload + 1024)), $"{most >> 20} MB were counted.");
        await Wait.UntilAsync(() => meter.Buffered == 0, () => $"all bytes given back; {meter.Buffered} are left");
    }

    private static Task AppendAsync(JournalUnderTest journal, int from, int count)
    {
        var payload = new byte[Payload];
        new Random(from).NextBytes(payload);
        return journal.AppendAsync([.. Selections.Mixed(from, count).Select(each => new JournalEvent
        {
            PersistenceId = each.PersistenceId,
            SequenceNumber = each.SequenceNumber,
            Payload = payload,
            Tags = each.Tags,
        })]);
    }

    private static async Task CountAsync(JournalReader reader, Selection selection, int events, Task wakeUp)
    {
        var expected = Selections.Mixed(0, events).Where(each => selection.Wants(each)).ToList();
        var count = 0;
        await foreach (var each in reader.Read(selection, live: true))
        {
            Assert.Equal((expected[count].PersistenceId, expected[count].SequenceNumber), (each.PersistenceId, each.SequenceNumber));
            Assert.Equal(Payload, each.Payload.Length);
            await wakeUp;
            if (++count == expected.Count)
                break;
        }
    }
}
