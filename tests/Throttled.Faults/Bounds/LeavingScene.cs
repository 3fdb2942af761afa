using Throttled.Journal;
using Throttled.Testing;

namespace Throttled.Faults.Bounds;

/// <summary>One reader of a journal in trouble, with queries in some state, and a witness beside them that follows.</summary>
internal sealed class LeavingScene : IAsyncDisposable
{
    internal const int Page = 2;

    private const int Events = 5;

    // So many ids that they are more than a page, with an event each.
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
            MaxConcurrentQueries = state == LeftWhile.InLine ? 1 : 6, MaxBufferSize = Page, MaxRowsPerStatement = Page, LoggerFactory = Log,
            RefreshInterval = TimeSpan.FromMilliseconds(20),
        }));
        _witness = LiveReading.Of(Reader.EventsByPersistenceId("witness"));
    }

    internal JournalReader Reader { get; }

    internal EngineLog Log { get; } = new();

    /// <summary>Those in the state.</summary>
    internal List<Leaver> Leavers { get; private set; } = [];

    /// <summary>What the engine's books said without them.</summary>
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

    /// <summary>Leaves by all, and waits until the reader is disposed where that is how they leave.</summary>
    internal async Task LeaveAsync(LeftBy by)
    {
        Leavers.ForEach(leaver => leaver.Leave(by));
        if (by == LeftBy.DisposeOfReader)
            await Reader.DisposeAsync().AsTask().WithinAsync("the end of a reader in trouble");
    }

    /// <summary>
    /// Nothing of them is left in the engine, while the trouble is still on; but that a permit stays asked for which goes back as soon as it is
    /// granted.
    /// </summary>
    internal async Task NothingIsLeftAsync()
    {
        var books = EngineBooks.Empty;
        await Wait.UntilAsync(
            async () => (books = await EngineBooks.OfAsync(Reader)) with { PermitsAskedFor = 0 } == Before,
            () => $"the books as they were before: {Before}; they are: {books}");
        // The tail's own statement, and one for each permit that others hold.
        await Wait.UntilAsync(async () => await _trouble.RunningAsync() <= Before.Slots + 1, () => "the end of the statements on the server");
    }

    /// <summary>Once the trouble is over, the others get what they would have got, and so does who asks anew.</summary>
    internal async Task OthersGoOnAsync()
    {
        _others.ForEach(other => other.Leave(LeftBy.DisposeOfEnumerator));
        await _trouble.EndAsync();
        await _trouble.Journal.AppendAsync("witness", 2, 1);
        await _witness.UntilAsync(2);
        Assert.Equal(_written, (await Reader.CurrentEventsByPersistenceId("a").AllAsync()).Count);
        Assert.Equal(_written + 2 + Others.Length, (await Reader.CurrentAllEvents().AllAsync()).Count);
    }

    /// <summary>Where the reader was disposed of, its other queries ended with it, and the database runs nothing for it.</summary>
    internal async Task NobodyGoesOnAsync()
    {
        await Assert.ThrowsAsync<ObjectDisposedException>(() => _witness.Ended.WithinAsync("the witness's end"));
        Assert.Equal(0, await _trouble.RunningAsync());
        await _trouble.EndAsync();
    }

    public async ValueTask DisposeAsync()
    {
        await _witness.DisposeAsync();
        await Reader.DisposeAsync();
        _meter.Dispose();
    }

    // Who followed before the tail had settled reads one page more.
    private async Task SettleAsync()
    {
        await _meter.UntilFollowingAsync(1);
        await _meter.MoreAsync(2, "keys");
        await UntilAsync(books => books is { Following: 1, Running: 0, InLine: 0 });
    }

    private Task ReachAsync(LeftWhile state) => state switch
    {
        LeftWhile.Opened => OpenAsync(OfAllKinds()),
        LeftWhile.InLine => WaitInLineAsync(),
        LeftWhile.Connecting => ConnectAsync(),
        LeftWhile.Running => RunAsync(),
        LeftWhile.PageArrived => TakePageAsync(),
        LeftWhile.MidPage => ReadSomeAsync(),
        LeftWhile.Following => FollowAsync(),
        LeftWhile.Lagging => LagAsync(),
        LeftWhile.Outage => WaitForJournalAsync(),
        _ => BackOffAsync(),
    };

    private async Task WaitInLineAsync()
    {
        await _trouble.HoldAsync();
        _others.Add(Leaver.Of(Reader.CurrentEventsByPersistenceId("a")));
        _others[0].Ask();
        await UntilAsync(books => books.Running == 1);
        await OpenAsync(OfAllKinds());
        Leavers.ForEach(leaver => leaver.Ask());
        await UntilAsync(books => books.InLine == Leavers.Count);
    }

    private async Task ConnectAsync()
    {
        // The connections that are open are fewer than those who want one.
        var connecting = await _trouble.HoldConnectionsAsync(1);
        await OpenAsync([.. OfAllKinds(), Leaver.Of(Reader.CurrentPersistenceIds()), Leaver.Of(Reader.CurrentPersistenceIds())]);
        Leavers.ForEach(leaver => leaver.Ask());
        await connecting;
    }

    private async Task RunAsync()
    {
        await _trouble.HoldAsync();
        await OpenAsync(OfEvents());
        Leavers.ForEach(leaver => leaver.Ask());
        await UntilAsync(books => books.Running == Leavers.Count);
    }

    private async Task TakePageAsync()
    {
        await OpenAsync(OfAllKinds());
        Leavers.ForEach(leaver => leaver.Ask());
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
        Leavers.ForEach(leaver => leaver.Ask());
        await _meter.UntilFollowingAsync(1 + Leavers.Count);
    }

    // They hold a page of one event, and of three more a page has room for two.
    private async Task LagAsync()
    {
        await OpenAsync(OfEvents());
        await Leavers[0].ReadAsync(Events);
        await Leavers[1].ReadAsync(Events + 1 + Others.Length);
        Leavers.ForEach(leaver => leaver.Ask());
        await _meter.UntilFollowingAsync(1 + Leavers.Count);
        await WriteAsync(1);
        await ReadAsync(1);
        await WriteAsync(Page + 1);
        await Wait.UntilAsync(() => _meter.Lagging == Leavers.Count, () => $"{Leavers.Count} queries that lag; there are {_meter.Lagging}");
    }

    private async Task WaitForJournalAsync()
    {
        await _trouble.GoAwayAsync();
        await Wait.UntilAsync(async () => !await EngineBooks.IsUpAsync(Reader), () => "an outage");
        await OpenAsync(OfAllKinds());
        Leavers.ForEach(leaver => leaver.Ask());
        // The witness may wait there too.
        await UntilAsync(books => books.InLine == Before.InLine + Leavers.Count);
    }

    private async Task BackOffAsync()
    {
        await OpenAsync(OfEvents());
        await _trouble.FailAsync(
            () => Leavers.ForEach(leaver => leaver.Ask()),
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
