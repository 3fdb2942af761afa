namespace Throttled.Faults.Bounds;

/// <summary>One reader of a journal in trouble, with queries in one state, and a following query as a witness.</summary>
internal sealed class LeavingScene : IAsyncDisposable
{
    internal const int Page = 2;

    private const int Events = 5;

    // More ids than fit on a page, with an event each.
    private static readonly string[] Others = TestEvents.Ids("other", 4);

    private readonly Trouble _trouble;
    private readonly StatementMeter _meter;
    private readonly LiveReading<JournalEvent> _witness;
    private readonly List<Leaver> _others = [];
    private int _written = Events;

    private LeavingScene(Trouble trouble, LeftWhile state)
    {
        _trouble = trouble;
        (_meter, Reader) = StatementMeter.Of(() => trouble.OpenReader(new()
        {
            MaxConcurrentQueries = state == LeftWhile.Queued ? 1 : 6, MaxBufferSize = Page, MaxRowsPerStatement = Page, LoggerFactory = Log,
            RefreshInterval = TimeSpan.FromMilliseconds(20),
        }));
        _witness = LiveReading.Of(Reader.EventsByPersistenceId("witness"));
    }

    internal JournalReader Reader { get; }

    internal EngineLog Log { get; } = new();

    /// <summary>The readers of the queries in the state.</summary>
    internal List<Leaver> Leavers { get; private set; } = [];

    /// <summary>The state of the engine without these queries.</summary>
    internal EngineBooks Before { get; private set; } = EngineBooks.Empty;

    internal static async Task<LeavingScene> SetAsync(Trouble trouble, LeftWhile state)
    {
        await trouble.Journal.AppendAsync("a", 1, Events);
        await trouble.Journal.AppendAsync("witness", 1, 1);
        await trouble.Journal.AppendAsync([.. TestEvents.OfEach(Others, 1, 1)]);
        var scene = new LeavingScene(trouble, state);
        await scene._witness.UntilAsync(1);
        await scene.SettleAsync();
        await scene.ReachAsync(state);
        return scene;
    }

    /// <summary>Leaves all queries. If they leave by disposing the reader, this waits for its end.</summary>
    internal async Task LeaveAsync(LeftBy by)
    {
        Leavers.ForEach(leaver => leaver.Leave(by));
        if (by == LeftBy.DisposeOfReader)
            await Reader.DisposeAsync().AsTask().WithinAsync("the end of a reader in trouble");
    }

    /// <summary>
    /// Nothing of the queries is left in the engine during the trouble, except a request for a permit. That permit is returned as soon as it is
    /// granted.
    /// </summary>
    internal async Task NothingIsLeftAsync()
    {
        var books = EngineBooks.Empty;
        await Wait.UntilAsync(
            async () => (books = await EngineBooks.OfAsync(Reader)) with { PermitsRequested = 0 } == Before,
            () => $"the state as it was before: {Before}; it is: {books}");
        // The statement of the tail, and one for each permit in use by others.
        await Wait.UntilAsync(async () => await _trouble.RunningAsync() <= Before.Slots + 1, () => "the end of the statements on the server");
    }

    /// <summary>After the trouble, the other queries and new queries get all events.</summary>
    internal async Task OthersGoOnAsync()
    {
        _others.ForEach(other => other.Leave(LeftBy.DisposeOfEnumerator));
        await _trouble.EndAsync();
        await _trouble.Journal.AppendAsync("witness", 2, 1);
        await _witness.UntilAsync(2);
        Assert.Equal(_written, (await Reader.CurrentEventsByPersistenceId("a").AllAsync()).Count);
        Assert.Equal(_written + 2 + Others.Length, (await Reader.CurrentAllEvents().AllAsync()).Count);
    }

    /// <summary>If the reader was disposed, its other queries ended with it, and the database runs no statement for it.</summary>
    internal async Task NoneGoesOnAsync()
    {
        await Assert.ThrowsAsync<ObjectDisposedException>(() => _witness.Ended.WithinAsync("the end of the witness"));
        await Wait.UntilAsync(async () => await _trouble.RunningAsync() == 0, () => "the end of all statements");
        await _trouble.EndAsync();
    }

    public async ValueTask DisposeAsync()
    {
        await _witness.DisposeAsync();
        await Reader.DisposeAsync();
        _meter.Dispose();
    }

    // A query that followed before the tail had settled reads one more page.
    private async Task SettleAsync()
    {
        await _meter.UntilFollowingAsync(1);
        await _meter.MoreAsync(2, "keys");
        await UntilAsync(books => books is { Following: 1, Running: 0, Queued: 0 });
    }

    private Task ReachAsync(LeftWhile state) => state switch
    {
        LeftWhile.Opened => OpenAsync(OfAllKinds()),
        LeftWhile.Queued => WaitInQueueAsync(),
        LeftWhile.Connecting => ConnectAsync(),
        LeftWhile.Running => RunAsync(),
        LeftWhile.PageArrived => TakePageAsync(),
        LeftWhile.MidPage => ReadSomeAsync(),
        LeftWhile.Following => FollowAsync(),
        LeftWhile.Lagging => LagAsync(),
        LeftWhile.Outage => WaitForJournalAsync(),
        _ => BackOffAsync(),
    };

    private async Task WaitInQueueAsync()
    {
        await _trouble.BlockAsync();
        _others.Add(Leaver.Of(Reader.CurrentEventsByPersistenceId("a")));
        _others[0].Request();
        await UntilAsync(books => books.Running == 1);
        await OpenAsync(OfAllKinds());
        Leavers.ForEach(leaver => leaver.Request());
        await UntilAsync(books => books.Queued == Leavers.Count);
    }

    private async Task ConnectAsync()
    {
        // There are fewer open connections than queries that need one.
        var connecting = await _trouble.BlockConnectionsAsync(1);
        await OpenAsync([.. OfAllKinds(), Leaver.Of(Reader.CurrentPersistenceIds()), Leaver.Of(Reader.CurrentPersistenceIds())]);
        Leavers.ForEach(leaver => leaver.Request());
        await connecting;
    }

    private async Task RunAsync()
    {
        await _trouble.BlockAsync();
        await OpenAsync(OfEvents());
        Leavers.ForEach(leaver => leaver.Request());
        await UntilAsync(books => books.Running == Leavers.Count);
    }

    private async Task TakePageAsync()
    {
        await OpenAsync(OfAllKinds());
        Leavers.ForEach(leaver => leaver.Request());
        await Wait.UntilAsync(() => Leavers.TrueForAll(leaver => leaver.IsAnswered), "a page of each");
    }

    private async Task ReadSomeAsync()
    {
        await OpenAsync(OfAllKinds());
        await ReadAsync(1);
    }

    private async Task FollowAsync()
    {
        await OpenAsync([.. OfEvents(), Leaver.Of(Reader.PersistenceIds())]);
        await Leavers[0].ReadAsync(Events);
        await Leavers[1].ReadAsync(Events + 1 + Others.Length);
        await Leavers[2].ReadAsync(2 + Others.Length);
        Leavers.ForEach(leaver => leaver.Request());
        await _meter.UntilFollowingAsync(1 + Leavers.Count);
    }

    // The queries have a page of one event; of three more events, a page has room for two.
    private async Task LagAsync()
    {
        await OpenAsync(OfEvents());
        await Leavers[0].ReadAsync(Events);
        await Leavers[1].ReadAsync(Events + 1 + Others.Length);
        Leavers.ForEach(leaver => leaver.Request());
        await _meter.UntilFollowingAsync(1 + Leavers.Count);
        await WriteAsync(1);
        await ReadAsync(1);
        await WriteAsync(Page + 1);
        await Wait.UntilAsync(() => _meter.Lagging == Leavers.Count, () => $"{Leavers.Count} queries that lag; there are {_meter.Lagging}");
    }

    private async Task WaitForJournalAsync()
    {
        await _trouble.BreakAsync();
        await Wait.UntilAsync(async () => !await EngineBooks.IsUpAsync(Reader), () => "an outage");
        await OpenAsync(OfAllKinds());
        Leavers.ForEach(leaver => leaver.Request());
        // The witness may be in the queue too.
        await UntilAsync(books => books.Queued == Before.Queued + Leavers.Count);
    }

    private async Task BackOffAsync()
    {
        await OpenAsync(OfEvents());
        await _trouble.FailAsync(
            () => Leavers.ForEach(leaver => leaver.Request()),
            until: async () => (await EngineBooks.OfAsync(Reader)).Retries == Leavers.Count);
    }

    private async Task OpenAsync(List<Leaver> leavers)
    {
        Before = await EngineBooks.OfAsync(Reader);
        Leavers = leavers;
    }

    private List<Leaver> OfAllKinds() => [.. OfEvents(), Leaver.Of(Reader.CurrentPersistenceIds())];

    private List<Leaver> OfEvents() => [Leaver.Of(Reader.EventsByPersistenceId("a")), Leaver.Of(Reader.AllEvents())];

    private Task ReadAsync(int count) => Task.WhenAll(Leavers.Select(leaver => leaver.ReadAsync(count)));

    private async Task WriteAsync(int count)
    {
        await _trouble.Journal.AppendAsync("a", _written + 1, count);
        _written += count;
    }

    private async Task UntilAsync(Func<EngineBooks, bool> isTrue)
    {
        var books = EngineBooks.Empty;
        await Wait.UntilAsync(async () => isTrue(books = await EngineBooks.OfAsync(Reader)), () => $"the queries in their state; {books}");
    }
}
