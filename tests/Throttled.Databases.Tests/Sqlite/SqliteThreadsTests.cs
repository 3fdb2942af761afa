using Throttled.Journal.Database;

namespace Throttled.Journal.Sqlite.Tests;

public sealed class SqliteThreadsTests
{
    private static readonly JournalOptions OneThread = new() { MaxConcurrentQueries = 1 };

    [Fact]
    public async Task A_cancelled_statement_frees_its_thread()
    {
        await using var file = new JournalFile();
        file.CreateEndless();
        var clock = new CountingClock(TimeSpan.Zero);
        var database = file.Database(OneThread with { TimeProvider = clock });
        using var cancel = new CancellationTokenSource();
        var endless = database.ReadPagesAsync(Make.Pages(Make.Ask("a")), cancel.Token);
        await clock.Running;

        await cancel.CancelAsync();

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => endless);
        file.Execute("DROP VIEW journal");
        await file.CreateAsync(Make.Event("a", 1));
        Assert.Single(await database.EventsAsync("a"));
    }

    [Fact]
    public async Task A_statement_that_exceeds_its_timeout_is_stopped()
    {
        await using var file = new JournalFile();
        file.CreateEndless();
        var database = file.Database(OneThread with { TimeProvider = new CountingClock(TimeSpan.FromSeconds(1)) });

        var error = await Assert.ThrowsAsync<TimeoutException>(
            () => database.ReadPagesAsync(Make.Pages(Make.Ask("a")), CancellationToken.None));

        Assert.Equal(FaultKind.TimedOut, database.Classify(error));
        Assert.Contains("'StatementTimeout', 30 s", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_call_that_is_cancelled_in_the_queue_ends_at_once_and_never_starts()
    {
        await using var file = new JournalFile();
        file.CreateEndless();
        var clock = new CountingClock(TimeSpan.Zero);
        var database = file.Database(OneThread with { TimeProvider = clock });
        using var cancelFirst = new CancellationTokenSource();
        using var cancelSecond = new CancellationTokenSource();
        var first = database.ReadPagesAsync(Make.Pages(Make.Ask("a")), cancelFirst.Token);
        await clock.Running;
        var second = database.ReadPagesAsync(Make.Pages(Make.Ask("b")), cancelSecond.Token);

        await cancelSecond.CancelAsync();

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => second);
        Assert.False(first.IsCompleted);
        await cancelFirst.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => first);
    }

    [Fact]
    public async Task The_tail_does_not_wait_for_pages()
    {
        await using var file = new JournalFile();
        file.CreateEndless();
        // Without this table the probe would check whether the journal is empty, and that statement never ends here.
        file.Execute("CREATE TABLE tags (other)");
        var clock = new CountingClock(TimeSpan.Zero);
        var database = file.Database(OneThread with { TimeProvider = clock });
        using var cancel = new CancellationTokenSource();
        var endless = database.ReadPagesAsync(Make.Pages(Make.Ask("a")), cancel.Token);
        await clock.Running;

        await Assert.ThrowsAnyAsync<Exception>(() => database.ProbeAsync(CancellationToken.None));

        await cancel.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => endless);
    }

    [Fact]
    public async Task Fifty_readers_each_get_their_own_rows()
    {
        await using var file = new JournalFile();
        await file.CreateAsync([.. Enumerable.Range(0, 50).SelectMany(id => Make.Events($"id-{id}", 20))]);
        var database = file.Database();

        await Task.WhenAll(Enumerable.Range(0, 50).Select(id => Task.Run(async () =>
        {
            for (var round = 0; round < 20; round++)
            {
                var events = await database.EventsAsync($"id-{id}");
                Assert.Equal(20, events.Count);
                Assert.All(events, each => Assert.Equal(each.SequenceNumber, each.Payload.Span[2]));
            }
        })));
    }

    [Fact]
    public async Task Readers_under_cancellation_lose_no_thread()
    {
        await using var file = new JournalFile();
        await file.CreateAsync(Make.Events("a", 100));
        var database = file.Database(new() { MaxConcurrentQueries = 2 });

        await Task.WhenAll(Enumerable.Range(0, 200).Select(async number =>
        {
            using var cancel = new CancellationTokenSource();
            var read = database.ReadPagesAsync(Make.Pages(Make.Ask("a")), cancel.Token);
            if (number % 2 == 0)
                await cancel.CancelAsync();
            if (await Record.ExceptionAsync(() => read) is { } error)
                Assert.IsAssignableFrom<OperationCanceledException>(error);
        }));

        Assert.Equal(100, (await database.EventsAsync("a")).Count);
    }

    [Fact]
    public async Task Disposal_stops_running_and_queued_statements()
    {
        await using var file = new JournalFile();
        file.CreateEndless();
        var clock = new CountingClock(TimeSpan.Zero);
        var database = file.Database(OneThread with { TimeProvider = clock });
        var running = database.ReadPagesAsync(Make.Pages(Make.Ask("a")), CancellationToken.None);
        await clock.Running;
        var waiting = database.ReadPagesAsync(Make.Pages(Make.Ask("b")), CancellationToken.None);

        await database.DisposeAsync();

        Assert.True(running.IsCanceled);
        Assert.True(waiting.IsCanceled);
        await Assert.ThrowsAsync<ObjectDisposedException>(() => database.ProbeAsync(CancellationToken.None));
    }
}
