using Microsoft.Extensions.Logging.Abstractions;
using Throttled.Journal.Diagnostics;
using Throttled.Journal.Faults;
using Throttled.Journal.Loop;
using Throttled.Journal.Pages;
using Throttled.Journal.Permits;
using Throttled.Journal.Queries;
using Throttled.Journal.Sharding;
using Throttled.Journal.Sql;
using Throttled.Journal.Tail;

namespace Throttled.Journal;

/// <summary>Puts the parts of one journal together, opens feeds, and takes the parts down again.</summary>
internal sealed class JournalEngine : ISingleJournal, IFeeds
{
    private readonly JournalContext _context;
    private readonly FeedParts _feeds;
    private readonly PageGate _gate;
    private readonly PermitWidth _width;
    private readonly JournalTail _tail;
    private readonly ReservedStatements _reserved;
    private readonly Notifications _notifications;
    private readonly Outage _outage;
    private readonly LostStatements _lost;
    private readonly SharedStatement<long> _end;
    private readonly SharedStatement<long?> _lastGivenOut;
    private readonly List<IDisposable> _parts = [];
    private readonly List<TaskCompletionSource<JournalHealth>> _looks = [];
    private readonly Lock _disposalLock = new();
    private Task? _disposal;
    private readonly Func<Exception> _closed;
    private readonly Action<Func<Exception>>? _ended;
    private string? _warned;

    /// <param name="database">The database; the engine's to dispose.</param>
    /// <param name="options">The options.</param>
    /// <param name="seams">What overrides thread pool, chance and local permits; null for none of it.</param>
    /// <exception cref="ArgumentException">An option is out of its range.</exception>
    internal JournalEngine(IJournalDatabase database, JournalOptions options, EngineSeams? seams = null)
    {
        options.Validate();
        seams ??= new();
        (_closed, _ended) = (seams.Closed, seams.Ended);
        var budget = new ByteBudget(options.MaxBufferedBytes);
        var gauges = new JournalGauges(UsedBytesOf(budget));
        var naming = seams.Naming ?? JournalNaming.Of(options);
        var log = new QuietLogger(
            (options.LoggerFactory ?? NullLoggerFactory.Instance).CreateLogger(JournalMetrics.Name), naming.Prefix + ShardPlace.PrefixOf(options.Shard), naming.In);
        var loop = new JournalLoop(options.TimeProvider, seams.Scheduler, Defect);
        _context = new(loop, database, options, log, Own(new JournalMetrics(database.System, options, gauges)), seams.Random)
        {
            Processors = seams.Processors,
            Naming = naming,
        };
        var permits = Own(seams.Permits?.Invoke(_context) ?? new LocalPermits(loop, options));
        _width = Own(new PermitWidth(_context, permits));
        _reserved = Own(new ReservedStatements(_context));
        _outage = Own(new Outage(_context, _reserved)
        {
            CameUp = CameUp,
            GaveUp = FailAll,
            IsNeeded = () => _tail!.HasFollowers,
            NoConnectionLeft = () => _width.Narrow(_gate!.Slots),
        });
        _lost = Own(new LostStatements(_context, _reserved, _outage));
        var held = Own(new HeldPages(loop, budget));
        _gate = Own(new PageGate(_context, new(permits, _width, budget, held, _outage, _lost, gauges)));
        _tail = Own(new JournalTail(_context, new(_reserved, _outage, _lost, budget, _gate) { Rewound = Rewound, KeysPerLook = seams.KeysPerLook }));
        _notifications = Own(new Notifications(_context, _tail.Wake));
        _feeds = new(_context, _gate, _tail, held, budget, gauges);
        _end = new(_context, _reserved, "end", OfItsShard(options.Shard, JournalNumbers.EndAsync));
        _lastGivenOut = new(_context, _reserved, "numbers", OfItsShard(options.Shard, JournalNumbers.LastGivenOutAsync));
        if (options.Shard is { IsOneOfSeveral: true })
            _tail.Ordered.IsBeyondTheEnd = TellUnlessGivenOut;
        var impatience = Own(new Impatience(_context, _outage) { Waiting = Waiting });
        loop.BatchEnded = () =>
        {
            _gate.Dispatch();
            impatience.Observe();
        };
    }

    public JournalOptions Options => _context.Options;

    /// <summary>Whether disposal has begun.</summary>
    internal bool IsClosing
    {
        get
        {
            lock (_disposalLock)
                return _disposal is not null;
        }
    }

    IReadOnlyList<ISingleJournal> IJournal.Parts => [this];

    ShardMap? IJournal.Map => null;

    public JournalQuery<JournalEvent> Events(ByIdQuery query) => new EventsOfId(this, query);

    public JournalQuery<JournalEvent> Events(OrderedQuery query) => new EventsInOrder(this, query);

    public JournalQuery<JournalEvent> Events(EventFilter filter, ShardedPosition after, bool isLive) =>
        Events(new OrderedQuery(filter, after.On(ShardMap.Even(1))[0], isLive));

    public JournalQuery<string> Ids(bool isLive) => new Ids(this, isLive);

    IFeed<JournalEvent> IFeeds.Open(ByIdQuery query, IPageReader<JournalEvent> reader) => Open(query, reader);

    IFeed<JournalEvent> IFeeds.Open(OrderedQuery query, IPageReader<JournalEvent> reader) => Open(query, reader);

    IFeed<string> IFeeds.OpenIds(bool isLive, IPageReader<string> reader) => OpenIds(isLive, reader);

    /// <summary>A feed that does nothing until its reader demands.</summary>
    internal ByIdFeed Open(ByIdQuery query, IPageReader<JournalEvent> reader) => new(_feeds, query, reader);

    /// <inheritdoc cref="Open(ByIdQuery, IPageReader{JournalEvent})"/>
    internal OrderedFeed Open(OrderedQuery query, IPageReader<JournalEvent> reader) => new(_feeds, query, reader);

    /// <inheritdoc cref="Open(ByIdQuery, IPageReader{JournalEvent})"/>
    internal JournalFeed<string> OpenIds(bool isLive, IPageReader<string> reader) =>
        isLive ? new LiveIdsFeed(_feeds, reader) : new CurrentIdsFeed(_feeds, reader);

    public Task<JournalHealth> LookAsync(CancellationToken cancellation)
    {
        var health = new TaskCompletionSource<JournalHealth>(TaskCreationOptions.RunContinuationsAsynchronously);
        // Observe the exception of an abandoned call, or it raises UnobservedTaskException.
        _ = health.Task.ContinueWith(
            static look => look.Exception, CancellationToken.None, TaskContinuationOptions.OnlyOnFaulted | TaskContinuationOptions.ExecuteSynchronously,
            TaskScheduler.Default);
        _context.Loop.Post(state => Look((TaskCompletionSource<JournalHealth>)state), health);
        return health.Task.WaitAsync(cancellation);
    }

    public Task<long> EndAsync(CancellationToken cancellation) => _end.ReadAsync(cancellation);

    public Task<long?> LastGivenOutAsync(CancellationToken cancellation) => _lastGivenOut.ReadAsync(cancellation);

    /// <summary>Ends every feed and waits until every statement has ended.</summary>
    public ValueTask DisposeAsync()
    {
        lock (_disposalLock)
            return new(_disposal ??= DisposeOnceAsync());
    }

    private async Task DisposeOnceAsync()
    {
        var statements = Task.CompletedTask;
        var begun = new Ending(_context.Loop);
        _context.Loop.Post(
            _ =>
            {
                statements = StopAsync();
                begun.Set();
            },
            this);
        await begun.Task.ConfigureAwait(false);
        await statements.ConfigureAwait(false);
        await _context.Database.DisposeAsync().ConfigureAwait(false);
        foreach (var part in _parts)
            part.Dispose();
    }

    // Asynchronous, so that whatever fails in it ends the disposal and not the loop.
    private async Task StopAsync()
    {
        _feeds.Closed = _closed;
        TellHealth(look => look.SetException(_closed()));
        CloseShared(_closed);
        var pages = _gate.StopAsync(_feeds.Closed);
        _tail.FailAll(_feeds.Closed);
        await Task.WhenAll(pages, _reserved.StopAsync(), _notifications.StopAsync()).ConfigureAwait(false);
    }

    private void Look(TaskCompletionSource<JournalHealth> health)
    {
        if (_feeds.Closed is { } closed)
        {
            health.SetException(closed());
            return;
        }
        // Checks that repeat before a database that hangs has answered must not queue probes before the tail.
        _looks.Add(health);
        if (_looks.Count == 1)
            _reserved.Run("probe", (database, cancellation) => database.ProbeAsync(cancellation), Looked);
    }

    private void Looked(Exception? error)
    {
        var health = HealthOf(error);
        TellHealth(look => look.SetResult(health));
    }

    private void TellHealth(Action<TaskCompletionSource<JournalHealth>> tell)
    {
        _looks.ForEach(tell);
        _looks.Clear();
    }

    private JournalHealth HealthOf(Exception? error)
    {
        var now = _context.Loop.Now;
        return new()
        {
            Unreadable = error is null ? null
                : _context.Database.Classify(error) == FaultKind.MissingTable ? _context.Naming.In(AbsentJournal.Of(_context, error).ToString())
                : _context.From.Length > 0 ? $"{_context.ClauseOf(error)}. It was to be read{_context.From}." : _context.ReasonOf(error),
            IsRefused = error is not null && _context.Database.Classify(error) == FaultKind.Fatal,
            HeadKeptBackFor = now - _tail.HeadKeptBackSince,
            LongestWait = now - _gate.LongestWaitsSince,
            Permits = _width.Limit,
            PermitsHeld = _gate.Slots,
        };
    }

    private IReadOnlyList<PageRequest> Waiting(Predicate<PageRequest> isTrue) =>
        [.. _gate.Waiting(isTrue), .. _tail.Ordered.Waiting.Where(request => isTrue(request))];

    private void CameUp(ServerFacts facts)
    {
        _width.Clamp(facts);
        if (facts.Warning is { } warning && warning != _warned)
            _context.Log.ServerWarning(warning + (_context.Database.Address is { } address ? $" This is {address}." : ""));
        _warned = facts.Warning;
        _lost.CameUp();
        _tail.CameUp(facts);
        _notifications.Listen();
    }

    // Numbers of another shard's database would be taken for this one's; the probe checks its mark.
    private static Func<IJournalDatabase, CancellationToken, Task<T>> OfItsShard<T>(
        ShardPlace? shard, Func<IJournalDatabase, CancellationToken, Task<T>> read)
    {
        var isProved = shard is null;
        return async (database, cancellation) =>
        {
            if (!isProved)
                await database.ProbeAsync(cancellation).ConfigureAwait(false);
            isProved = true;
            return await read(database, cancellation).ConfigureAwait(false);
        };
    }

    // A journal that was divided has its positions in each shard, above the last event of most: they are issued all the same.
    private void TellUnlessGivenOut(long position, long end)
    {
        long? last = null;
        _reserved.Run(
            "numbers",
            async (database, cancellation) => last = await JournalNumbers.LastGivenOutAsync(database, cancellation).ConfigureAwait(false),
            _ =>
            {
                if (last is null || last < position)
                    _context.Log.BeyondTheEnd(position, end);
            });
    }

    private void FailAll(Func<Exception> error)
    {
        _gate.FailAll(error);
        _tail.FailAll(error);
    }

    private void Rewound(long ordering)
    {
        _feeds.Rewinds++;
        _feeds.RewoundFrom = ordering;
        FailAll(() => JournalRewoundException.At(ordering, _context.Options.Tables.JournalTable, _context.Options.Shard));
    }

    // Nothing is known about the state any more: better to end all queries with a reason than to hang or to skip.
    private void Defect(Exception defect)
    {
        _context.Log.Defect(defect);
        if (_feeds.Closed is not null)
            return;
        Func<Exception> reason = () => new JournalException(
            _ended is null
                ? "The journal reader ended all its queries because of a defect. Open a new reader, and please report the defect."
                : "The journal reader ended all its queries because of a defect. It opens again by itself; start the query again, and please report the defect.",
            defect);
        _feeds.Closed = reason;
        // Call this before the queries fail: a query that starts again at once then waits for the next engine.
        _ended?.Invoke(reason);
        CloseShared(reason);
        FailAll(reason);
    }

    private void CloseShared(Func<Exception> error)
    {
        _end.Close(error);
        _lastGivenOut.Close(error);
    }

    // .NET keeps a meter until it is disposed. In the constructor, this lambda would share its closure with one that holds the engine.
    private static Func<long> UsedBytesOf(ByteBudget budget) => () => budget.Used;

    private T Own<T>(T part)
        where T : IDisposable
    {
        _parts.Add(part);
        return part;
    }
}
