using Throttled.Testing.Scripted;

namespace Throttled.Faults.Rewound;

/// <summary>
/// Queries of every kind in every state: following, lagging, idle with a page that the reader does not take, and queued.
/// </summary>
internal sealed class EveryState : IAsyncDisposable
{
    private readonly TaskCompletionSource _wakeUp = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly StatementMeter _meter;
    private readonly StatementMeter _slowMeter;
    private readonly JournalReader _slow;
    private readonly List<LiveReading<string>> _all = [];
    private Task _lagging = Task.CompletedTask;

    private EveryState(JournalUnderTest journal)
    {
        (_meter, Reader) = StatementMeter.Of(() => journal.OpenReader(new() { MaxBufferSize = 5, LoggerFactory = Log }));
        (_slowMeter, _slow) = StatementMeter.Of(() => journal.OpenReader(
            new() { MaxConcurrentQueries = 1, MaxQueriesPerStatement = 1, MaxQueriesPerSecond = 1, Burst = 1 }));
    }

    internal JournalReader Reader { get; }

    internal RecordedLog Log { get; } = new();

    internal int Count => _all.Count;

    /// <summary>The following queries.</summary>
    internal IReadOnlyList<LiveReading<string>> Following { get; private set; } = [];

    /// <summary>Opens the queries over a journal with mixed events, and writes as many events as are needed to bring them into their states.</summary>
    /// <param name="journal">The journal.</param>
    /// <param name="there">The number of mixed events.</param>
    /// <returns>The queries, and the new number of mixed events.</returns>
    internal static async Task<(EveryState States, int There)> OpenAsync(JournalUnderTest journal, int there)
    {
        const int more = 60;
        var states = new EveryState(journal);
        states.Following = states.Open(states.Reader, live: true, _ => Task.CompletedTask);
        var lagging = states.Open(states.Reader, live: true, _ => states._lagging);
        await states._meter.UntilFollowingAsync(states.Following.Count + lagging.Count);
        states._lagging = states._wakeUp.Task;
        await journal.AppendAsync(Selections.Mixed(there, more));
        // All ids have been delivered, so the query for ids cannot lag.
        await Wait.UntilAsync(() => states._meter.Lagging >= lagging.Count - 1, () => $"queries that lag; there are {states._meter.Lagging}");
        await states.OpenIdleAsync();
        states.OpenQueued();
        await states._slowMeter.MoreAsync(2, "keys");
        return (states, there + more);
    }

    /// <summary>The number of events that following queries got twice.</summary>
    internal int Doubled => Following.Sum(reading => reading.Events.Count - reading.Events.Distinct().Count());

    /// <summary>The number of failed queries.</summary>
    internal int Failed => _all.Count(reading => reading.Ended.IsFaulted);

    /// <summary>Waits until the following queries have all events, and until all readers have polled after the last one.</summary>
    /// <param name="there">The number of mixed events.</param>
    internal async Task UntilSeenAsync(int there)
    {
        foreach (var (reading, count) in Following.Zip(CountsOf(there)))
            await reading.UntilAsync(count);
        // The second poll of each reader began after the last event. A reader that has not polled after it detects no loss.
        await Task.WhenAll(_meter.MoreAsync(2, "keys"), _slowMeter.MoreAsync(2, "keys"));
        // Later these queries may have ended already.
        Assert.InRange(_slowMeter.Waiting, 20, int.MaxValue);
    }

    /// <summary>The number of events that following queries are missing.</summary>
    /// <param name="there">The number of mixed events.</param>
    internal int Lost(int there) =>
        Following.Zip(CountsOf(there)).Sum(each => Math.Max(0, each.Second - each.First.Events.Distinct().Count()));

    /// <summary>Asserts that each query fails because the journal was rewound.</summary>
    internal async Task AllEndAsync()
    {
        await EndAsync(Following);
        _wakeUp.TrySetResult();
        await EndAsync(_all);
    }

    /// <summary>Asserts that only current queries have ended, and that following queries have all events.</summary>
    /// <param name="there">The number of mixed events.</param>
    internal async Task AllGoOnAsync(int there)
    {
        _wakeUp.TrySetResult();
        foreach (var (reading, count) in Following.Zip(CountsOf(there)))
        {
            var events = await reading.UntilAsync(count);
            Assert.Equal(count, events.Distinct().Count());
            Assert.Equal(count, events.Count);
        }
        Assert.DoesNotContain(_all, reading => reading.Ended.IsFaulted);
    }

    public async ValueTask DisposeAsync()
    {
        _wakeUp.TrySetResult();
        await Task.WhenAll(_all.Select(reading => reading.DisposeAsync().AsTask()));
        await Reader.DisposeAsync();
        await _slow.DisposeAsync();
        _meter.Dispose();
        _slowMeter.Dispose();
    }

    /// <summary>Queries of every kind.</summary>
    internal static List<IAsyncEnumerable<string>> Queries(JournalReader reader, bool live) =>
    [
        .. Enum.GetValues<Selection>().Select(selection => reader.Read(selection, live).Select(TestEvents.TextOf)),
        reader.Events(live, "id-0").Select(TestEvents.TextOf), reader.Ids(live),
    ];

    private static IEnumerable<int> CountsOf(int there) =>
        Enum.GetValues<Selection>().Select(selection => selection.Of(Selections.Mixed(0, there)).Count);

    // One statement a second, from both queues in turn: the last queries wait for a minute.
    private void OpenQueued()
    {
        for (var i = 0; i < 30; i++)
        {
            _all.Add(LiveReading.Of(_slow.EventsByPersistenceId($"id-{i}").Select(TestEvents.TextOf)));
            _all.Add(LiveReading.Of(_slow.EventsBySlices(i, i).Select(TestEvents.TextOf)));
        }
        Open(_slow, live: true, _ => Task.CompletedTask);
    }

    private async Task OpenIdleAsync()
    {
        List<LiveReading<string>> idle = [.. Open(Reader, live: true, _ => _wakeUp.Task), .. Open(Reader, live: false, _ => _wakeUp.Task)];
        await Wait.UntilAsync(() => idle.TrueForAll(reading => reading.Count == 1), "an event for each idle query");
    }

    private List<LiveReading<string>> Open(JournalReader reader, bool live, Func<string, Task> each)
    {
        List<LiveReading<string>> readings = [.. Queries(reader, live).Select(query => LiveReading.Of(query, each))];
        _all.AddRange(readings);
        return readings;
    }

    private static async Task EndAsync(IEnumerable<LiveReading<string>> readings)
    {
        foreach (var reading in readings)
        {
            var error = await Assert.ThrowsAsync<JournalRewoundException>(
                () => reading.Ended.WithinAsync("the end of a query of a rewound journal"));
            Assert.Contains("went back", error.Message, StringComparison.Ordinal);
        }
    }
}
