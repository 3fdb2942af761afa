using Throttled.Journal;
using Throttled.Projections.Running;

namespace Throttled.Projections;

/// <summary>
/// Runs a handler over the events of a journal, and keeps a read model up to date with it. Any number of processes may run the same projection;
/// they share its lanes, and take over those of one that dies. Thread-safe.
/// </summary>
public sealed class Projection : IAsyncDisposable
{
    private readonly Lock _lock = new();
    private readonly ProjectionOptions _options;
    private readonly ProjectionRunner _runner;
    private bool _isStarted;
    private Task? _stop;

    /// <summary>Touches neither the journal nor the read model.</summary>
    /// <param name="journal">The journal, sharded or not; the caller's to dispose, after the projection.</param>
    /// <param name="readModel">The database that the handler writes, and that keeps the offsets.</param>
    /// <param name="handler">What is done with events.</param>
    /// <param name="options">How it runs.</param>
    /// <exception cref="ArgumentException">An option is out of its range.</exception>
    public Projection(JournalReader journal, ReadModelDatabase readModel, ProjectionHandler handler, ProjectionOptions options)
        : this(CreateContext(journal, readModel, handler, options))
    {
    }

    internal Projection(ProjectionContext context)
    {
        _options = context.Options;
        _runner = new(context);
    }


    /// <summary>
    /// Ends when the projection was stopped. Fails with <see cref="ProjectionException"/> where it cannot run in this process: its source is not
    /// the one that the read model was made of, a process with other shards of the journal has taken it over, or its offsets are of shards that the journal has put together. Databases that are unavailable, and events
    /// that fail, do not end it.
    /// </summary>
    public Task Completion => _runner.Completion;

    internal ProjectionRunner Runner => _runner;

    internal ProjectionHealth Health => RunnerHealth.Of(_runner, _options, Volatile.Read(ref _isStarted));

    /// <summary>Starts it, and returns at once.</summary>
    /// <exception cref="InvalidOperationException">It was started before.</exception>
    /// <exception cref="ObjectDisposedException">It was stopped before.</exception>
    public void Start()
    {
        lock (_lock)
        {
            ObjectDisposedException.ThrowIf(_stop is not null, this);
            if (_isStarted)
                throw new InvalidOperationException("The projection was started before; make another one to run it again.");
            _isStarted = true;
        }
        // SQLite blocks whoever calls it.
        _ = Task.Run(_runner.RunAsync);
    }

    /// <summary>
    /// Stops it: batches in hand are finished, for 5 s at most, and its lanes are free for others. Where the read model's database does not answer,
    /// that is given up after some seconds more; nothing is lost by it. Does not fail; a later call waits for the same end.
    /// </summary>
    /// <param name="abort">Cancelled where batches in hand are to be rolled back instead; they come again.</param>
    public async Task StopAsync(CancellationToken abort = default)
    {
        Task stop;
        lock (_lock)
            stop = _stop ??= _isStarted ? Task.Run(StopOnceAsync, CancellationToken.None) : Task.CompletedTask;
        await using var registration = abort.UnsafeRegister(_ => Abort(stop), null).ConfigureAwait(false);
        await stop.ConfigureAwait(false);
    }

    /// <summary>Stops it.</summary>
    public async ValueTask DisposeAsync()
    {
        await StopAsync().ConfigureAwait(false);
        _runner.Dispose();
    }

    private async Task StopOnceAsync()
    {
        _runner.Stop();
        await Completion.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
    }

    private void Abort(Task stop)
    {
        if (!stop.IsCompleted)
            _runner.Abort();
    }

    private static ProjectionContext CreateContext(JournalReader journal, ReadModelDatabase readModel, ProjectionHandler handler, ProjectionOptions options)
    {
        ArgumentNullException.ThrowIfNull(journal);
        ArgumentNullException.ThrowIfNull(readModel);
        ArgumentNullException.ThrowIfNull(handler);
        ArgumentNullException.ThrowIfNull(options);
        options.Validate();
        return ProjectionWiring.Of(journal, readModel, handler, options);
    }
}
