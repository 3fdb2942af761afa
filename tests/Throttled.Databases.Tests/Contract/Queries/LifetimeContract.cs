namespace Throttled.Databases.Tests.Contract;

/// <summary>A query can be ended early in several ways, and leaves nothing behind.</summary>
public abstract class LifetimeContract(IJournalHost host, ITestOutputHelper output) : JournalContract(host, output)
{
    [ContractTheory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_query_that_is_cancelled_before_it_starts_delivers_nothing(bool live)
    {
        var journal = await NewJournalAsync();
        await journal.AppendAsync("a", 1, 5);
        using var cancelled = new CancellationTokenSource();
        await cancelled.CancelAsync();
        await using var events = journal.OpenReader().Events(live, "a").GetAsyncEnumerator(cancelled.Token);

        var error = await Assert.ThrowsAnyAsync<OperationCanceledException>(() => MoveAsync(events));
        Assert.Equal(cancelled.Token, error.CancellationToken);
    }

    [ContractFact]
    public async Task A_live_query_that_waits_can_be_cancelled()
    {
        var journal = await NewJournalAsync();
        await journal.AppendAsync("a", 1, 1);
        var (meter, reader) = StatementMeter.Of(() => journal.OpenReader());
        using var source = new CancellationTokenSource();
        await using var events = reader.EventsByPersistenceId("a").GetAsyncEnumerator(source.Token);
        Assert.True(await MoveAsync(events));
        var waiting = MoveAsync(events);
        await meter.UntilFollowingAsync(1);

        await source.CancelAsync();

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => waiting);
        await meter.UntilFollowingAsync(0);
    }

    [ContractTheory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_query_that_is_cancelled_within_a_page_delivers_no_further_page(bool live)
    {
        var journal = await NewJournalAsync();
        await journal.AppendAsync("a", 1, 100);
        using var source = new CancellationTokenSource();
        await using var events = journal.OpenReader(new() { MaxBufferSize = 10 }).Events(live, "a").GetAsyncEnumerator(source.Token);
        for (var i = 0; i < 5; i++)
            Assert.True(await MoveAsync(events));

        await source.CancelAsync();

        await Assert.ThrowsAnyAsync<OperationCanceledException>(async () =>
        {
            while (await MoveAsync(events))
                Assert.True(events.Current.SequenceNumber <= 10);
        });
    }

    [ContractTheory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Disposing_a_query_in_the_middle_does_not_affect_the_others(bool live)
    {
        var journal = await NewJournalAsync();
        var ids = TestEvents.Ids("id", 50);
        await journal.AppendAsync([.. TestEvents.OfEach(ids, 1, 30)]);
        var (meter, reader) = StatementMeter.Of(() => journal.OpenReader(new() { MaxBufferSize = 10, MaxConcurrentQueries = 2 }));

        var left = await Task.WhenAll(ids.Select(id => reader.Events(live, id).FirstAsync(15)));
        var whole = await Task.WhenAll(ids.Select(id => reader.Events(live, id, 0, 30).AllAsync()));

        Assert.All(left, events => Assert.Equal(Reading.Numbers(1, 15), events.Numbers()));
        Assert.All(whole, events => Assert.Equal(Reading.Numbers(1, 30), events.Numbers()));
        await Wait.UntilAsync(() => meter.Buffered == 0, () => $"all bytes given back; {meter.Buffered} are left");
        await meter.UntilFollowingAsync(0);
    }

    [ContractFact]
    public async Task A_query_can_be_disposed_twice_and_before_it_starts()
    {
        var journal = await NewJournalAsync();
        var events = journal.OpenReader().EventsByPersistenceId("a").GetAsyncEnumerator();
        await events.DisposeAsync();
        await events.DisposeAsync();
    }

    [ContractTheory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_reader_that_is_disposed_ends_its_queries_and_its_statements(bool blocks)
    {
        var journal = await NewJournalAsync();
        var ids = TestEvents.Ids("id", 500);
        await journal.AppendAsync([.. TestEvents.OfEach(ids, 1, 20)]);
        var (meter, reader) = StatementMeter.Of(() => journal.OpenReader(new() { MaxBufferSize = 5 }));
        var following = LiveReading.Of(reader.EventsByPersistenceId("nobody"));
        await meter.UntilFollowingAsync(1);
        List<LiveReading<JournalEvent>> readings = [following, .. ids.Select(id => LiveReading.Of(reader.EventsByPersistenceId(id)))];
        await Wait.UntilAsync(() => readings.Sum(reading => reading.Count) > 1000, "some of the events");

        await (blocks ? Task.Run(reader.Dispose) : reader.DisposeAsync().AsTask()).WithinAsync("the end of a reader");

        foreach (var reading in readings)
            await Assert.ThrowsAsync<ObjectDisposedException>(() => reading.Ended.WithinAsync("the end of a query of a disposed reader"));
        await journal.NoStatementRunsAsync();
    }

    [ContractTheory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_query_of_a_disposed_reader_fails(bool live)
    {
        var journal = await NewJournalAsync();
        var reader = journal.OpenReader();
        await reader.DisposeAsync();
        await reader.DisposeAsync();

        await Assert.ThrowsAsync<ObjectDisposedException>(() => reader.Events(live, "a").AllAsync());
    }

    [ContractFact]
    public async Task An_unused_reader_does_not_touch_the_database()
    {
        var journal = await NewAbsentJournalAsync();
        var (meter, reader) = StatementMeter.Of(() => journal.OpenReader());
        await reader.DisposeAsync();

        Assert.Equal(0, meter.Statements);
    }

    private static Task<bool> MoveAsync(IAsyncEnumerator<JournalEvent> events) =>
        events.MoveNextAsync().AsTask().WithinAsync("an answer of the query");
}
