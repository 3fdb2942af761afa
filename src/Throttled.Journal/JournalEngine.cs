using Microsoft.Extensions.Logging.Abstractions;
using Throttled.Journal.Database;
using Throttled.Journal.Diagnostics;
using Throttled.Journal.Faults;
using Throttled.Journal.Loop;
using Throttled.Journal.Pages;
using Throttled.Journal.Permits;
using Throttled.Journal.Queries;
using Throttled.Journal.Rows;
using Throttled.Journal.Tail;

namespace Throttled.Journal;

/// <summary>Creates the parts of one journal, opens feeds, and disposes the parts.</summary>
internal sealed class JournalEngine : IJournalShard, IFeeds
{
    private readonly JournalContext _context;
    private readonly FeedContext _feeds;
    private readonly PageScheduler _scheduler;
    private readonly AdaptiveLimit _adaptiveLimit;
    private readonly JournalTail _tail;
    private readonly ReservedPermit _reserved;
    private readonly NotificationListener _listener;
    private readonly CircuitBreaker _breaker;
    private readonly BrokenSessions _brokenSessions;
    private readonly SingleFlight<long> _end;
    private readonly SingleFlight<long?> _lastIssued;
    private readonly SingleFlight<RecentOrderings> _recent;
    private readonly List<IDisposable> _parts = [];
    private readonly List<TaskCompletionSource<JournalHealth>> _healthChecks = [];
    private readonly Lock _disposalLock = new();
    private Task? _disposal;
    private readonly Func<Exception> _closed;
    private readonly Action<Func<Exception>>? _ended;
    private string? _warned;

    internal JournalEngine(IJournalDatabase database, JournalOptions options, EngineOverrides? overrides = null)
    {
        options.Validate();
        // A new string instance. Tests distinguish journals with the same name by its reference.
        options = options with { Name = new(options.Name.AsSpan()) };
        overrides ??= new();
        (_closed, _ended) = (overrides.Closed, overrides.Ended);
        var budget = new ByteBudget(options.MaxBufferedBytes);
        var naming = overrides.Naming ?? JournalNaming.Of(options);
        var log = new NonThrowingLogger(
            (options.LoggerFactory ?? NullLoggerFactory.Instance).CreateLogger(JournalMetrics.Name), naming.Prefix + ShardIdentity.PrefixOf(options.Shard), naming.In);
        var loop = new JournalLoop(options.TimeProvider, overrides.Scheduler, Defect);
        var gauges = new JournalGauges(loop.Clock, UsedBytesOf(budget));
        _context = new(loop, database, options, log, Own(new JournalMetrics(database.System, options, gauges)), overrides.Random)
        {
            Processors = overrides.Processors,
            Naming = naming,
        };
        var permits = Own(overrides.Permits?.Invoke(_context) ?? new LocalPermits(loop, options, overrides.Ceiling));
        _adaptiveLimit = Own(new AdaptiveLimit(_context, permits, overrides.Ceiling));
        _reserved = Own(new ReservedPermit(_context));
        _breaker = Own(new CircuitBreaker(_context, _reserved)
        {
            Recovered = Recovered,
            Unrecoverable = FailAll,
            IsProbeNeeded = () => _tail!.HasFollowers,
            NoConnectionLeft = () => _adaptiveLimit.Reduce(_scheduler!.Slots),
        });
        _brokenSessions = Own(new BrokenSessions(_context, _reserved, _breaker));
        var held = Own(new HeldPages(loop, budget));
        _scheduler = Own(new PageScheduler(_context, new(permits, _adaptiveLimit, budget, held, _breaker, _brokenSessions, gauges)));
        _tail = Own(new JournalTail(_context, new(_reserved, _breaker, _brokenSessions, budget, _scheduler) { Rewound = Rewound, KeysPerPoll = overrides.KeysPerPoll }));
        _listener = Own(new NotificationListener(_context, _tail.Wake));
        _feeds = new(_context, _scheduler, _tail, held, budget, gauges);
        _end = new(_context, _reserved, "end", OfItsShard(options.Shard, JournalStatus.EndAsync));
        _lastIssued = new(_context, _reserved, "numbers", OfItsShard(options.Shard, JournalStatus.LastIssuedAsync));
        _recent = new(_context, _reserved, "keys", OfItsShard(options.Shard, RecentOrderings.ReadAsync));
        if (options.Shard is { IsOneOfSeveral: true })
            _tail.Ordered.IsBeyondTheEnd = WarnUnlessIssued;
        var timeouts = Own(new CurrentQueryTimeouts(_context, _breaker) { Waiting = Waiting });
        loop.BatchEnded = () =>
        {
            _scheduler.Dispatch();
            timeouts.Observe();
            _tail.Observe(gauges);
        };
    }

    public JournalOptions Options => _context.Options;

    internal bool IsClosing
    {
        get
        {
            lock (_disposalLock)
                return _disposal is not null;
        }
    }

    IReadOnlyList<IJournalShard> IJournal.Shards => [this];

    ShardMap? IJournal.Map => null;

    public JournalQuery<JournalEvent> Events(ByIdQuery query) => new ByIdStream(this, query);

    public JournalQuery<JournalEvent> Events(OrderedQuery query) => new OrderedStream(this, query);

    public JournalQuery<JournalEvent> Events(EventFilter filter, ShardedPosition after, bool isLive) =>
        Events(new OrderedQuery(filter, after.On(ShardMap.Even(1))[0], isLive));

    public JournalQuery<string> Ids(bool isLive) => new IdsStream(this, isLive);

    public IFeed<JournalEvent> Open(ByIdQuery query, IPageReader<JournalEvent> reader) => new ByIdFeed(_feeds, query, reader);

    public IFeed<JournalEvent> Open(OrderedQuery query, IPageReader<JournalEvent> reader) => new OrderedFeed(_feeds, query, reader);

    public IFeed<string> OpenIds(bool isLive, IPageReader<string> reader) => isLive ? new LiveIdsFeed(_feeds, reader) : new CurrentIdsFeed(_feeds, reader);

    public Task<JournalHealth> CheckHealthAsync(CancellationToken cancellation)
    {
        var health = new TaskCompletionSource<JournalHealth>(TaskCreationOptions.RunContinuationsAsynchronously);
        // Observe the exception of an abandoned call, or it raises UnobservedTaskException.
        _ = health.Task.ContinueWith(
            static check => check.Exception, CancellationToken.None, TaskContinuationOptions.OnlyOnFaulted | TaskContinuationOptions.ExecuteSynchronously,
            TaskScheduler.Default);
        _context.Loop.Post(state => CheckHealth((TaskCompletionSource<JournalHealth>)state), health);
        return health.Task.WaitAsync(cancellation);
    }

    public Task<long> EndAsync(CancellationToken cancellation) => _end.ReadAsync(cancellation);

    public Task<long?> LastIssuedAsync(CancellationToken cancellation) => _lastIssued.ReadAsync(cancellation);

    public Task<long> NowAsync(CancellationToken cancellation) => new NowSearch(_recent.ReadAsync, Options).FindAsync(cancellation);

    public ValueTask DisposeAsync()
    {
        lock (_disposalLock)
            return new(_disposal ??= DisposeOnceAsync());
    }

    private async Task DisposeOnceAsync()
    {
        var statements = Task.CompletedTask;
        var begun = new Completion(_context.Loop);
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

    // Asynchronous: an exception here fails the disposal, not the loop.
    private async Task StopAsync()
    {
        _feeds.Closed = _closed;
        NotifyHealth(check => check.SetException(_closed()));
        CloseFlights(_closed);
        var pages = _scheduler.StopAsync(_feeds.Closed);
        _tail.FailAll(_feeds.Closed);
        await Task.WhenAll(pages, _reserved.StopAsync(), _listener.StopAsync()).ConfigureAwait(false);
    }

    private void CheckHealth(TaskCompletionSource<JournalHealth> health)
    {
        if (_feeds.Closed is { } closed)
        {
            health.SetException(closed());
            return;
        }
        // If the database hangs, repeated checks must not queue more probes ahead of the tail's statements.
        _healthChecks.Add(health);
        if (_healthChecks.Count == 1)
            _reserved.Run("probe", (database, cancellation) => database.ProbeAsync(cancellation), HealthChecked);
    }

    private void HealthChecked(Exception? error)
    {
        var health = HealthOf(error);
        NotifyHealth(check => check.SetResult(health));
    }

    private void NotifyHealth(Action<TaskCompletionSource<JournalHealth>> notify)
    {
        _healthChecks.ForEach(notify);
        _healthChecks.Clear();
    }

    private JournalHealth HealthOf(Exception? error)
    {
        var now = _context.Loop.Now;
        return new()
        {
            UnreadableReason = error is null ? null
                : _context.Database.Classify(error) == FaultKind.MissingTable ? _context.Naming.In(MissingJournal.Of(_context, error).ToString())
                : _context.From.Length > 0 ? $"{_context.ClauseOf(error)}. The journal is read{_context.From}." : _context.ReasonOf(error),
            IsPermanent = error is not null && _context.Database.Classify(error) == FaultKind.Fatal,
            HighWaterMarkStalledFor = now - _tail.HighWaterMarkStalledSince,
            LongestWait = now - _scheduler.LongestWaitsSince,
            Permits = _adaptiveLimit.Limit,
            PermitsHeld = _scheduler.Slots,
        };
    }

    private IReadOnlyList<PageRequest> Waiting(Predicate<PageRequest> isTrue) =>
        [.. _scheduler.Waiting(isTrue), .. _tail.Ordered.Waiting.Where(request => isTrue(request))];

    private void Recovered(ProbeResult result)
    {
        _adaptiveLimit.SetCeiling(result);
        if (result.Warning is { } warning && warning != _warned)
            _context.Log.ServerWarning(warning + (_context.Database.Address is { } address ? $" This is {address}." : ""));
        _warned = result.Warning;
        _brokenSessions.Recovered();
        _tail.Recovered(result);
        _listener.Listen();
    }

    // Without a check, the orderings of another shard's database would be returned as this shard's. The probe checks the mark.
    private static Func<IJournalDatabase, CancellationToken, Task<T>> OfItsShard<T>(
        ShardIdentity? shard, Func<IJournalDatabase, CancellationToken, Task<T>> read)
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

    // After a journal is divided, its positions apply to each shard. They may be above the last event there, but they were issued.
    private void WarnUnlessIssued(long position, long end)
    {
        long? last = null;
        _reserved.Run(
            "numbers",
            async (database, cancellation) => last = await JournalStatus.LastIssuedAsync(database, cancellation).ConfigureAwait(false),
            _ =>
            {
                if (last is null || last < position)
                    _context.Log.BeyondTheEnd(position, end);
            });
    }

    private void FailAll(Func<Exception> error)
    {
        _scheduler.FailAll(error);
        _tail.FailAll(error);
    }

    private void Rewound(long ordering)
    {
        _context.Metrics.Rewound(ordering);
        _feeds.Rewinds++;
        _feeds.RewoundFrom = ordering;
        FailAll(() => JournalRewoundException.At(ordering, _context.Options.Tables.JournalTable, _context.Options.Shard));
    }

    // After a defect the state is unknown. Ending all queries with a reason is better than hanging or skipping events.
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
        // Call this before the queries fail. A query that starts again at once then waits for the next engine.
        _ended?.Invoke(reason);
        CloseFlights(reason);
        FailAll(reason);
    }

    private void CloseFlights(Func<Exception> error)
    {
        _end.Close(error);
        _lastIssued.Close(error);
        _recent.Close(error);
    }

    // The meter keeps this delegate until the engine is disposed. In the constructor, the lambda would share its closure with a lambda that holds the
    // engine.
    private static Func<long> UsedBytesOf(ByteBudget budget) => () => budget.Used;

    private T Own<T>(T part)
        where T : IDisposable
    {
        _parts.Add(part);
        return part;
    }
}
