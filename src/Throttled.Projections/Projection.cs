using Throttled.Projections.Running;

namespace Throttled.Projections;

/// <summary>
/// Runs a handler over the events of a journal, and keeps a read model up to date. Any number of processes may run the same projection. They share
/// its lanes, and take over the lanes of a process that dies. Thread-safe.
/// </summary>
public sealed class Projection : IAsyncDisposable
{
    private readonly Lock _lock = new();
    private readonly ProjectionOptions _options;
    private readonly ProjectionRunner _runner;
    private bool _isStarted;
    private Task? _stop;

    /// <summary>Creates a projection. Neither the journal nor the read model is accessed yet.</summary>
    /// <param name="journal">The journal, sharded or not. The caller disposes it, after the projection.</param>
    /// <param name="readModel">The database that the handler writes, and that stores the offsets.</param>
    /// <param name="handler">Handles the events.</param>
    /// <param name="options">How the projection runs.</param>
    /// <exception cref="ArgumentException">An option is out of its range.</exception>
    public Projection(JournalReader journal, ReadModelDatabase readModel, ProjectionHandler handler, ProjectionOptions options)
        : this(CreateContext(journal, readModel, handler, options)) => ReadModel = readModel;

    internal Projection(ProjectionContext context)
    {
        _options = context.Options;
        _runner = new(context);
    }

    /// <summary>
    /// Completes when the projection was stopped. Fails with <see cref="ProjectionException"/> if it cannot run in this process: its source differs
    /// from the one that the read model was built from; the journal does not have the ordering of its <see cref="ProjectionOptions.StartAt"/>; a process with other shards of the journal has taken it over; or its offsets belong to shards
    /// that the journal has merged. Unavailable databases and failing events do not end the projection.
    /// </summary>
    public Task Completion => _runner.Completion;

    /// <summary>The database that the projection was created with; null if a test created it with a scripted store.</summary>
    internal ReadModelDatabase? ReadModel { get; }

    internal ProjectionHealth Health => RunnerHealth.Of(_runner, _options, Volatile.Read(ref _isStarted));

    /// <summary>Starts the projection and returns at once.</summary>
    /// <exception cref="InvalidOperationException">It was started before, or another projection that runs uses its <see cref="AssignedLanes"/>.</exception>
    /// <exception cref="ObjectDisposedException">It was stopped before.</exception>
    public void Start()
    {
        lock (_lock)
        {
            ObjectDisposedException.ThrowIf(_stop is not null, this);
            if (_isStarted)
                throw new InvalidOperationException("The projection was started before; create a new one to run it again.");
            _runner.Attach();
            _isStarted = true;
        }
        // Calls to SQLite block the calling thread.
        _ = Task.Run(_runner.RunAsync);
    }

    /// <summary>
    /// Stops the projection. Running batches are finished, for at most 5 s, and its lanes are released. If the read model's database does not answer,
    /// releasing them times out after some more seconds; nothing is lost. Does not fail. A later call waits for the same stop.
    /// </summary>
    /// <param name="abort">If cancelled, running batches are rolled back instead; their events come again.</param>
    public async Task StopAsync(CancellationToken abort = default)
    {
        Task stop;
        lock (_lock)
            stop = _stop ??= _isStarted ? Task.Run(StopOnceAsync, CancellationToken.None) : Task.CompletedTask;
        await using var registration = abort.UnsafeRegister(_ => Abort(stop), null).ConfigureAwait(false);
        await stop.ConfigureAwait(false);
    }

    /// <summary>Stops the projection.</summary>
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
        return ProjectionContext.Of(journal, readModel, handler, options);
    }
}
