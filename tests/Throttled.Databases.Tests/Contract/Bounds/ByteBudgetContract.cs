namespace Throttled.Databases.Tests.Contract;

/// <summary>Rows in memory stay within the journal's byte limit, and paused readers do not stop the others.</summary>
public abstract class ByteBudgetContract(IJournalHost host, ITestOutputHelper output) : JournalContract(host, output)
{
    private const int Payload = 1 << 20;
    private const int Budget = 8 * Payload;
    private const int Permits = 4;
    private const int EventsOfEach = 5;
    private const int PausedReaders = 10;

    [ContractFact]
    public Task Megabytes_of_events_are_delivered_within_the_byte_limit() => RunAsync(ids: 10);

    [ContractFact]
    [Trait("Category", "Long")]
    public Task Very_many_megabytes_of_events_are_delivered_within_the_byte_limit() => RunAsync(Math.Max(40, LongShare.Of(200)));

    private async Task RunAsync(int ids)
    {
        var journal = await NewJournalAsync();
        await AppendAsync(journal, ids + PausedReaders);
        var (meter, reader) = StatementMeter.Of(() => journal.OpenReader(
            new() { MaxBufferedBytes = Budget, MaxConcurrentQueries = Permits, MaxBufferSize = 2 }));
        var wakeUp = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var before = GC.GetTotalMemory(forceFullCollection: true);
        var paused = Enumerable.Range(0, PausedReaders).Select(i => CountAsync(reader, $"id-{i}", wakeUp.Task)).ToArray();
        var awake = Task.WhenAll(Enumerable.Range(PausedReaders, ids).Select(i => CountAsync(reader, $"id-{i}", Task.CompletedTask)));

        var (mostBuffered, mostMemory) = await WatchAsync(awake, meter, before);
        wakeUp.SetResult();
        await Task.WhenAll(paused).WithinAsync("the events of the paused readers");
        Assert.All(await awake, count => Assert.Equal(EventsOfEach, count));
        Output.WriteLine($"At most {mostBuffered >> 20} MB counted, {mostMemory >> 20} MB of memory; {meter}.");

        // One more row for each running statement, and one for the statement of the tail.
        Assert.True(mostBuffered <= Budget + ((Permits + 1) * (Payload + 1024)), $"{mostBuffered} bytes were counted.");
        // In addition: the current event of each reader, and the driver's buffer of each statement.
        var bound = Budget + ((Permits + 1L) * 3 * Payload) + ((ids + PausedReaders) * (long)Payload);
        Assert.True(mostMemory <= bound, $"{mostMemory >> 20} MB of memory were in use; the bound is {bound >> 20} MB.");
    }

    private static async Task AppendAsync(JournalUnderTest journal, int ids)
    {
        var payload = new byte[Payload];
        new Random(1).NextBytes(payload);
        for (var i = 0; i < ids; i++)
        {
            await journal.AppendAsync([.. Enumerable.Range(1, EventsOfEach).Select(number => new JournalEvent
            {
                PersistenceId = $"id-{i}",
                SequenceNumber = number,
                Payload = payload,
            })]);
        }
    }

    // Memory is measured while the readers run, after a collection, so only memory in use counts.
    private static async Task<(long Buffered, long Memory)> WatchAsync(Task until, StatementMeter meter, long before)
    {
        var (buffered, memory) = (0L, 0L);
        await Wait.UntilAsync(
            () =>
            {
                buffered = Math.Max(buffered, meter.Buffered);
                memory = Math.Max(memory, GC.GetTotalMemory(forceFullCollection: true) - before);
                return until.IsCompleted;
            },
            "the events of the readers that are awake, beside some that sleep");
        return (buffered, memory);
    }

    private static async Task<int> CountAsync(JournalReader reader, string id, Task wakeUp)
    {
        var count = 0;
        await foreach (var each in reader.EventsByPersistenceId(id, 0, EventsOfEach))
        {
            Assert.Equal(++count, each.SequenceNumber);
            Assert.Equal(Payload, each.Payload.Length);
            await wakeUp;
        }
        return count;
    }
}
