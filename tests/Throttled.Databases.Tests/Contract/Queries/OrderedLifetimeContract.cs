namespace Throttled.Databases.Tests.Contract;

/// <summary>A query in journal order or of persistence ids can be ended early in several ways, and leaves nothing behind.</summary>
public abstract class OrderedLifetimeContract(IJournalHost host, ITestOutputHelper output) : JournalContract(host, output)
{
    private const int Events = 100;

    private static readonly string[] All = [.. Enum.GetNames<Selection>(), "Ids"];

    public static TheoryData<string, bool> Queries()
    {
        var data = new TheoryData<string, bool>();
        foreach (var query in All)
        {
            data.Add(query, false);
            data.Add(query, true);
        }
        return data;
    }

    public static TheoryData<string> Names()
    {
        var data = new TheoryData<string>();
        data.AddRange(All);
        return data;
    }

    [ContractTheory]
    [MemberData(nameof(Queries))]
    public async Task A_query_that_is_cancelled_before_it_starts_delivers_nothing(string query, bool live)
    {
        var journal = await NewFilledJournalAsync();
        using var cancelled = new CancellationTokenSource();
        await cancelled.CancelAsync();
        await using var items = Open(journal.OpenReader(), query, live).GetAsyncEnumerator(cancelled.Token);

        var error = await Assert.ThrowsAnyAsync<OperationCanceledException>(() => MoveAsync(items));
        Assert.Equal(cancelled.Token, error.CancellationToken);
    }

    [ContractTheory]
    [MemberData(nameof(Names))]
    public async Task A_live_query_that_waits_can_be_cancelled(string query)
    {
        var journal = await NewJournalAsync(TagMode.TagTable);
        var (meter, reader) = StatementMeter.Of(() => journal.OpenReader());
        using var source = new CancellationTokenSource();
        await using var items = Open(reader, query, live: true).GetAsyncEnumerator(source.Token);
        var waiting = MoveAsync(items);
        await meter.UntilFollowingAsync(1);

        await source.CancelAsync();

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => waiting);
        await meter.UntilFollowingAsync(0);
    }

    [ContractTheory]
    [MemberData(nameof(Queries))]
    public async Task A_query_that_is_cancelled_within_a_page_delivers_no_further_page(string query, bool live)
    {
        var journal = await NewFilledJournalAsync();
        using var source = new CancellationTokenSource();
        await using var items = Open(journal.OpenReader(new() { MaxBufferSize = 3 }), query, live).GetAsyncEnumerator(source.Token);
        for (var i = 0; i < 2; i++)
            Assert.True(await MoveAsync(items));

        await source.CancelAsync();

        var more = 0;
        await Assert.ThrowsAnyAsync<OperationCanceledException>(async () =>
        {
            while (await MoveAsync(items))
                Assert.True(++more <= 3, "More than the page was given.");
        });
    }

    [ContractTheory]
    [MemberData(nameof(Queries))]
    public async Task Disposing_queries_in_the_middle_does_not_affect_the_others(string query, bool live)
    {
        var journal = await NewFilledJournalAsync();
        var (meter, reader) = StatementMeter.Of(() => journal.OpenReader(new() { MaxBufferSize = 3, MaxConcurrentQueries = 2 }));
        var all = await Open(reader, query, live: false).AllAsync();

        var left = await Task.WhenAll(Enumerable.Range(1, 20).Select(count => Open(reader, query, live).FirstAsync(1 + (count % 5))));
        var whole = await Task.WhenAll(Enumerable.Range(1, 20).Select(_ => Open(reader, query, live).FirstAsync(all.Count)));

        Assert.All(left, items => Assert.True(items.Count is >= 1 and <= 5));
        Assert.All(whole, items => Assert.Equal(all.Order(), items.Order()));
        await Wait.UntilAsync(() => meter.Buffered == 0, () => $"all bytes given back; {meter.Buffered} are left");
        await meter.UntilFollowingAsync(0);
    }

    [ContractTheory]
    [MemberData(nameof(Queries))]
    public async Task A_query_can_be_disposed_twice_and_before_it_starts(string query, bool live)
    {
        var journal = await NewFilledJournalAsync();
        var items = Open(journal.OpenReader(), query, live).GetAsyncEnumerator();
        await items.DisposeAsync();
        await items.DisposeAsync();
    }

    [ContractFact]
    public async Task A_reader_that_is_disposed_ends_its_queries_and_its_statements()
    {
        var journal = await NewFilledJournalAsync();
        var (meter, reader) = StatementMeter.Of(() => journal.OpenReader(new() { MaxBufferSize = 3, MaxConcurrentQueries = 2 }));
        var following = All.Select(name => LiveReading.Of(Open(reader, name, live: true))).ToList();
        await meter.UntilFollowingAsync(following.Count);
        var never = new TaskCompletionSource();
        var paused = All.Select(name => LiveReading.Of(Open(reader, name, live: true), _ => never.Task)).ToList();
        await Wait.UntilAsync(() => paused.TrueForAll(reading => reading.Count == 1), "an event for each paused query");
        var catchingUp = Enumerable.Range(0, 50).Select(i => LiveReading.Of(Open(reader, All[i % 4], live: i % 8 < 4))).ToList();

        await reader.DisposeAsync().AsTask().WithinAsync("the end of a reader");

        never.SetResult();
        foreach (var reading in following.Concat(paused))
            await Assert.ThrowsAsync<ObjectDisposedException>(() => reading.Ended.WithinAsync("the end of a query of a disposed reader"));
        foreach (var reading in catchingUp)
            await EndsAsync(reading);
        await journal.NoStatementRunsAsync();
    }

    [ContractTheory]
    [MemberData(nameof(Queries))]
    public async Task A_query_of_a_disposed_reader_fails(string query, bool live)
    {
        var journal = await NewFilledJournalAsync();
        var reader = journal.OpenReader();
        await reader.DisposeAsync();

        await Assert.ThrowsAsync<ObjectDisposedException>(() => Open(reader, query, live).AllAsync());
    }

    // A current query may have completed before.
    private static async Task EndsAsync(LiveReading<string> reading)
    {
        try
        {
            await reading.Ended.WithinAsync("the end of a query of a disposed reader");
        }
        catch (ObjectDisposedException)
        {
        }
    }

    private async Task<JournalUnderTest> NewFilledJournalAsync()
    {
        var journal = await NewJournalAsync(TagMode.TagTable);
        await journal.AppendAsync(Selections.Mixed(0, Events));
        return journal;
    }

    private static IAsyncEnumerable<string> Open(JournalReader reader, string query, bool live) => query == "Ids"
        ? reader.Ids(live)
        : reader.Read(Enum.Parse<Selection>(query), live).Select(TestEvents.TextOf);

    private static Task<bool> MoveAsync(IAsyncEnumerator<string> items) => items.MoveNextAsync().AsTask().WithinAsync("an answer of the query");
}
