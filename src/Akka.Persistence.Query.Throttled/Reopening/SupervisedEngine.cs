using System.Diagnostics.CodeAnalysis;
using Throttled.Journal;
using Throttled.Journal.Diagnostics;
using Throttled.Journal.Queries;
using Throttled.Journal.Rows;

namespace Akka.Persistence.Query.Throttled.Reopening;

/// <summary>
/// Keeps an engine open for one database, because Akka.NET keeps a read journal for as long as the actor system runs. When an
/// engine ends by a defect or with its throttler, this class opens the next one: at once the first time, then after growing
/// pauses. New queries wait for it. Thread-safe.
/// </summary>
/// <param name="open">Opens an engine, and calls <see cref="Ended"/> when that engine ends by itself.</param>
/// <param name="closed">Creates the exception of queries after disposal.</param>
/// <param name="closeTimeout">The longest wait for the statements of an engine that has ended.</param>
/// <param name="time">The clock.</param>
[SuppressMessage("Reliability", "CA1001", Justification = "The cancellation source has no timer and no handle, and its token may be used after disposal.")]
internal sealed class SupervisedEngine(
    Func<SupervisedEngine, JournalEngine> open, Func<Exception> closed, TimeSpan closeTimeout, TimeProvider time) : IJournalShard, IFeeds
{
    private static readonly TimeSpan FirstDelay = TimeSpan.FromSeconds(1);

    // If an engine ran for longer than this, the next one opens without a pause.
    private static readonly TimeSpan MaxDelay = TimeSpan.FromMinutes(1);

    private readonly Lock _lock = new();
    private readonly CancellationTokenSource _closing = new();
    private volatile JournalEngine? _last;
    private Task<JournalEngine>? _engine;
    private long _opened;
    private TimeSpan _delay;
    private bool _isOpening;
    private bool _isClosed;

    /// <summary>The engine that was opened last.</summary>
    internal JournalEngine Engine => _last!;

    public JournalOptions Options => Engine.Options;

    public IReadOnlyList<IJournalShard> Shards => [this];

    public ShardMap? Map => null;

    /// <summary>Opens the first engine.</summary>
    internal SupervisedEngine Start()
    {
        lock (_lock)
            _engine = Task.FromResult(OpenNext());
        return this;
    }

    /// <summary>Replaces an engine that ended by itself. Harmless if called twice.</summary>
    internal void Ended(JournalEngine engine)
    {
        lock (_lock)
        {
            if (_isClosed || _isOpening || engine != _last)
                return;
            if (time.GetElapsedTime(_opened) > MaxDelay)
                _delay = TimeSpan.Zero;
            OpenAnew();
        }
    }

    public JournalQuery<JournalEvent> Events(ByIdQuery query) => new ByIdStream(this, query);

    public JournalQuery<JournalEvent> Events(OrderedQuery query) => new OrderedStream(this, query);

    public JournalQuery<JournalEvent> Events(EventFilter filter, ShardedPosition after, bool isLive) =>
        Events(new OrderedQuery(filter, after.On(ShardMap.Even(1))[0], isLive));

    public JournalQuery<string> Ids(bool isLive) => new IdsStream(this, isLive);

    public Task<JournalHealth> CheckHealthAsync(CancellationToken cancellation) => Engine.CheckHealthAsync(cancellation);

    public async Task<long> EndAsync(CancellationToken cancellation) =>
        await (await Current().WaitAsync(cancellation).ConfigureAwait(false)).EndAsync(cancellation).ConfigureAwait(false);

    public async Task<long?> LastIssuedAsync(CancellationToken cancellation) =>
        await (await Current().WaitAsync(cancellation).ConfigureAwait(false)).LastIssuedAsync(cancellation).ConfigureAwait(false);

    public async Task<long> NowAsync(CancellationToken cancellation) =>
        await (await Current().WaitAsync(cancellation).ConfigureAwait(false)).NowAsync(cancellation).ConfigureAwait(false);

    IFeed<JournalEvent> IFeeds.Open(ByIdQuery query, IPageReader<JournalEvent> reader) => Open(engine => engine.Open(query, reader), reader);

    IFeed<JournalEvent> IFeeds.Open(OrderedQuery query, IPageReader<JournalEvent> reader) => Open(engine => engine.Open(query, reader), reader);

    IFeed<string> IFeeds.OpenIds(bool isLive, IPageReader<string> reader) => Open(engine => engine.OpenIds(isLive, reader), reader);

    /// <summary>Ends every query for good, and waits until every statement has ended.</summary>
    public async ValueTask DisposeAsync()
    {
        Task<JournalEngine> engine;
        lock (_lock)
        {
            _isClosed = true;
            engine = _engine!;
        }
        await _closing.CancelAsync().ConfigureAwait(false);
        // An engine that is being opened may still succeed.
        await ((Task)engine).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        if (engine.IsCompletedSuccessfully)
            await engine.Result.DisposeAsync().ConfigureAwait(false);
    }

    private IFeed<T> Open<T>(Func<JournalEngine, IFeed<T>> of, IPageReader<T> reader)
        where T : class
    {
        var engine = Current();
        return engine.IsCompletedSuccessfully ? of(engine.Result) : new AwaitedFeed<T>(engine, of, reader, Failure);
    }

    private Task<JournalEngine> Current()
    {
        lock (_lock)
        {
            // The last attempt to open failed. Try again, because its cause may be gone.
            if (_engine!.IsFaulted && !_isOpening && !_isClosed)
                OpenAnew();
            return _engine;
        }
    }

    // A new exception for each query, because throwing one changes it.
    private Exception Failure(Exception error) =>
        error is JournalClosedException ? closed() : new JournalException($"The read journal cannot be opened again: {error.Message}", error);

    private void OpenAnew()
    {
        _isOpening = true;
        var (ended, pause) = (_last!, _delay);
        _delay = pause == TimeSpan.Zero ? FirstDelay : pause * 2 < MaxDelay ? pause * 2 : MaxDelay;
        _engine = Task.Run(() => OpenNextAsync(ended, pause));
        // Observe the exception, or it raises UnobservedTaskException if no query waits.
        _ = _engine.ContinueWith(static opening => opening.Exception, CancellationToken.None, TaskContinuationOptions.ExecuteSynchronously, TaskScheduler.Default);
    }

    private async Task<JournalEngine> OpenNextAsync(JournalEngine ended, TimeSpan delay)
    {
        // Wait, because two engines would run twice as many statements as allowed. After a defect some statements may never be
        // cancelled; after this wait the database has timed them out.
        await ended.DisposeAsync().AsTask().WaitAsync(closeTimeout, time).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        await Task.Delay(delay, time, _closing.Token).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        lock (_lock)
        {
            _isOpening = false;
            return _isClosed ? throw closed() : OpenNext();
        }
    }

    private JournalEngine OpenNext()
    {
        var next = open(this);
        _opened = time.GetTimestamp();
        return _last = next;
    }
}
