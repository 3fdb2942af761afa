using Throttled.Projections.Store;
using Throttled.Projections.Tables;
using Throttled.Projections.Waits;

namespace Throttled.Projections;

/// <summary>
/// Operates projections from any process that reaches the read model's database: shows their status, and gives them commands. A process that runs the
/// projection executes a command. The call waits until the command has ended, even if no process runs for a long time. Cancelling a call only ends
/// the wait: the command remains and is executed. Thread-safe.
/// </summary>
/// <remarks>
/// Each operation takes the projection's name. It applies to the live read model unless <c>version</c> names another one. A command that cannot have
/// an effect is refused, for example to pause a retired read model. A command returns what was done, as text for people.
/// </remarks>
public sealed class ProjectionControl
{
    // A timer takes at most 2^32 ms.
    private static readonly TimeSpan MaxTimeout = TimeSpan.FromDays(49);

    private static readonly TimeSpan PauseTimeout = TimeSpan.FromMinutes(1);

    private readonly ReadModelDatabase _readModel;
    private readonly TimeProvider _time;
    private readonly ControlStore _store;

    /// <summary>Operates the projections of a read model's database. The clock, by default the system's, is for the waits between checks of a command.</summary>
    public ProjectionControl(ReadModelDatabase readModel, TimeProvider? time = null)
    {
        ArgumentNullException.ThrowIfNull(readModel);
        (_readModel, _store) = (readModel, new(readModel));
        _time = time ?? TimeProvider.System;
    }

    /// <summary>Who gives the commands of this object, and why. Each command stores it. With null, the default, commands store neither.</summary>
    /// <exception cref="ArgumentException">The user is empty.</exception>
    public CommandOrigin? Origin
    {
        get => _store.Origin;
        init
        {
            if (value is not null)
                ArgumentException.ThrowIfNullOrWhiteSpace(value.User, nameof(CommandOrigin.User));
            _store = new(_readModel) { Origin = value };
        }
    }

    /// <summary>Is called once, with a notice, if a call has waited for 5 seconds for what it has stored.</summary>
    internal Action<string>? OnLongWait { get; init; }

    /// <summary>The names of all projections that were ever started in this database, in order.</summary>
    public Task<IReadOnlyList<string>> NamesAsync(CancellationToken cancellationToken = default) => _store.NamesAsync(cancellationToken);

    /// <summary>Returns a status for each read model; empty if no projection of that name was ever started in this database.</summary>
    public Task<IReadOnlyList<ProjectionStatus>> StatusAsync(string name, CancellationToken cancellationToken = default)
    {
        ArgumentException.ThrowIfNullOrEmpty(name);
        return _store.StatusAsync(name, cancellationToken);
    }

    /// <summary>
    /// Returns the last commands of a projection, the latest first: at most <paramref name="limit"/>, which is at least 1, and 100 by default. A command
    /// is kept for seven days after its end.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">The limit is below 1.</exception>
    /// <exception cref="ProjectionException">No projection was ever started in this database.</exception>
    public Task<IReadOnlyList<ProjectionCommand>> CommandsAsync(string name, int limit = 100, CancellationToken cancellationToken = default)
    {
        ArgumentException.ThrowIfNullOrEmpty(name);
        ArgumentOutOfRangeException.ThrowIfLessThan(limit, 1);
        return _store.CommandsAsync(name, limit, cancellationToken);
    }

    /// <summary>
    /// Pauses a read model in all processes, also after restarts, and waits until its lanes have stopped. Each lane finishes its current batch first. After
    /// the call, no process writes the read model until it is resumed. A process that is gone counts as stopped when its leases have ended (see
    /// <see cref="ProjectionOptions.LeaseDuration"/>). If it was only suspended, it cannot commit what it writes in the projection's transaction; effects
    /// elsewhere may still happen when it goes on. If no process runs the read model, the call returns at once. To pause a paused read model is no
    /// error: the call waits for the lanes too, and says that it was paused already.
    /// </summary>
    /// <param name="name">The projection's name.</param>
    /// <param name="version">The read model; the live one by default.</param>
    /// <param name="timeout">How long to wait for the lanes; above 0, and at most 49 days. 1 minute by default.</param>
    /// <param name="cancellationToken">Ends the wait. The pause stays stored.</param>
    /// <exception cref="ArgumentOutOfRangeException">The time-out is not above 0, or above 49 days.</exception>
    /// <exception cref="TimeoutException">Lanes have not stopped in time. The message names them and their owners, and those owners that seem to be of an
    /// older release: these never report that they have stopped. The pause stays stored: the lanes stop later, and the call can be repeated.</exception>
    /// <exception cref="ProjectionException">There is no such projection or read model, the read model is retired, or it was resumed during the wait.</exception>
    public async Task<string> PauseAsync(string name, string? version = null, TimeSpan? timeout = null, CancellationToken cancellationToken = default)
    {
        var most = timeout ?? PauseTimeout;
        ArgumentOutOfRangeException.ThrowIfLessThanOrEqual(most, TimeSpan.Zero, nameof(timeout));
        ArgumentOutOfRangeException.ThrowIfGreaterThan(most, MaxTimeout, nameof(timeout));
        var pause = await _store.PauseAsync(name, version, cancellationToken).ConfigureAwait(false);
        // The processes of an older release do not report it.
        if (!pause.ReportsStops)
            return $"{pause.Result}; its processes notice within some seconds.";
        using var limit = new CancellationTokenSource(most, _time);
        using var either = CancellationTokenSource.CreateLinkedTokenSource(limit.Token, cancellationToken);
        try
        {
            await StoppedAsync(pause.Version, either.Token).ConfigureAwait(false);
        }
        catch (StoredCommandException error) when (limit.IsCancellationRequested && !cancellationToken.IsCancellationRequested)
        {
            throw new TimeoutException(error.Message, error);
        }
        return $"{pause.Result}; no lane runs.";
    }

    /// <summary>
    /// Resumes a paused read model. Failed lanes are tried again, whether it was paused or not. The call does not wait: the processes notice within some
    /// seconds. To resume one that is not paused is no error, and the result says so.
    /// </summary>
    /// <exception cref="ProjectionException">There is no such projection or read model, or the read model is retired.</exception>
    public async Task<string> ResumeAsync(string name, string? version = null, CancellationToken cancellationToken = default) =>
        $"{(await _store.ResumeAsync(name, version, cancellationToken).ConfigureAwait(false)).Result}.";

    /// <summary>
    /// Withdraws a command that waits, so that no process executes it. A call that waits for it throws a <see cref="ProjectionException"/>. A command that is
    /// being executed is not withdrawn. A retry or discard of many dead letters is executed in parts, and may be withdrawn between two of them. A retry by
    /// an <see cref="AtLeastOnceHandler"/> may be withdrawn while its events are being delivered: they were delivered then, but remain dead letters.
    /// </summary>
    /// <param name="name">The projection's name.</param>
    /// <param name="commandId">The <see cref="ProjectionCommand.Id"/> of the command.</param>
    /// <param name="cancellationToken">Ends the call.</param>
    /// <exception cref="ProjectionException">There is no such projection or command, or the command is being executed or has ended.</exception>
    public Task<string> WithdrawAsync(string name, long commandId, CancellationToken cancellationToken = default) =>
        _store.WithdrawAsync(name, commandId, cancellationToken);

    /// <summary>Withdraws all commands of a projection that wait, as <see cref="WithdrawAsync"/> does. Returns their number.</summary>
    /// <exception cref="ProjectionException">There is no such projection.</exception>
    public Task<int> WithdrawAllAsync(string name, CancellationToken cancellationToken = default) => _store.WithdrawAllAsync(name, cancellationToken);

    /// <summary>
    /// Empties a read model with <see cref="ProjectionHandler.PrepareAsync"/> and handles its events again, from its start
    /// (<see cref="ProjectionStatus.StartOffset"/>). Dead letters are removed, and their events come again as replays
    /// (<see cref="ProjectionEvent.IsReplay"/>). The result names the number.
    /// </summary>
    /// <exception cref="ProjectionException">There is no such projection or read model, the read model is retired, or the command was refused.</exception>
    public Task<string> ResetAsync(string name, string? version = null, CancellationToken cancellationToken = default) =>
        CommandAsync(name, version, Of(CommandVerb.Reset), cancellationToken);

    /// <summary>
    /// Handles the events above an ordering again, or skips the events up to it. The read model is only emptied if the ordering is 0. Dead letters
    /// above the ordering are removed, because their events come again. If the ordering is below the start of the read model, it is the start from then
    /// on; so 0 handles also the events from before the start. For a sharded journal an ordering above 0 is refused: use a
    /// <see cref="ShardedPosition"/>.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">The ordering is negative.</exception>
    /// <exception cref="ProjectionException">There is no such projection or read model, the read model is retired, or the command was refused.</exception>
    public Task<string> ResetAsync(string name, long ordering, string? version = null, CancellationToken cancellationToken = default)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(ordering);
        return CommandAsync(name, version, Of(CommandVerb.Reset) with { Ordering = ordering }, cancellationToken);
    }

    /// <summary>
    /// Handles the events of a sharded journal after an offset again, or skips the events up to it. The offset is one from
    /// <see cref="ProjectionStatus.Offsets"/>, or <see cref="ShardedPosition.At"/>. Otherwise the same as
    /// <see cref="ResetAsync(string, long, string, CancellationToken)"/>.
    /// </summary>
    /// <exception cref="ProjectionException">There is no such projection or read model, the read model is retired, or the command was refused: the
    /// offset is of other shards.</exception>
    public Task<string> ResetAsync(string name, ShardedPosition offset, string? version = null, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(offset);
        return CommandAsync(name, version, Of(CommandVerb.Reset) with { ShardedOffset = offset.ToString() }, cancellationToken);
    }

    /// <summary>
    /// Handles the events that were persisted since a time again, by the journal's timestamps. The read model is not emptied. Dead letters of these
    /// events are removed, because the events come again.
    /// </summary>
    /// <exception cref="ProjectionException">There is no such projection or read model, the read model is retired, or the command was refused.</exception>
    public Task<string> ResetAsync(string name, DateTimeOffset time, string? version = null, CancellationToken cancellationToken = default) =>
        CommandAsync(name, version, Of(CommandVerb.Reset) with { Timestamp = time.UtcTicks }, cancellationToken);

    /// <summary>
    /// Starts to build a read model beside the live one. Waits until the build has started, not until it has caught up. Its name has from 1 to 200
    /// characters; the handler gets it.
    /// </summary>
    /// <exception cref="ArgumentException">The new name is empty, has more than 200 characters, ends in a blank or begins with #.</exception>
    /// <exception cref="ProjectionException">There is no such projection, a read model has this name or one that differs from it only in case, or the command was refused.</exception>
    public async Task<string> RebuildAsync(string name, string newVersion, CancellationToken cancellationToken = default)
    {
        ArgumentException.ThrowIfNullOrEmpty(name);
        ArgumentException.ThrowIfNullOrEmpty(newVersion);
        if (newVersion.Length > ProjectionOptionsValidation.MaxNameLength)
            throw new ArgumentException($"The name of the new read model has {newVersion.Length} characters; it may have at most {ProjectionOptionsValidation.MaxNameLength}. Shorten it.", nameof(newVersion));
        if (ProjectionOptionsValidation.UnfitForTable(newVersion) is { } why)
            throw new ArgumentException($"The name of the new read model is \"{newVersion}\", which {why}. Choose another one.", nameof(newVersion));
        var id = await _store.RebuildAsync(name, newVersion, cancellationToken).ConfigureAwait(false);
        return await DoneAsync(name, id, cancellationToken).ConfigureAwait(false);
    }

    /// <summary>
    /// Makes a rebuilt read model the live one, with <see cref="ProjectionHandler.SwapAsync"/>. The previous live one is no longer written. Refused
    /// if the new one is too far behind it, in orderings: more than <see cref="ProjectionOptions.BatchSize"/> times the old one's number of lanes. So
    /// readers may miss at most that many events for a moment. Without <paramref name="force"/>, it is also refused if the new one has dead letters
    /// or failed lanes. With it, readers miss these events until they are retried and the lanes resumed.
    /// </summary>
    /// <exception cref="ProjectionException">There is no such projection or read model, it was not built beside the live one, or the command was
    /// refused.</exception>
    public Task<string> SwapAsync(string name, string version, bool force = false, CancellationToken cancellationToken = default)
    {
        ArgumentException.ThrowIfNullOrEmpty(version);
        return CommandAsync(name, version, Of(force ? CommandVerb.ForcedSwap : CommandVerb.Swap), cancellationToken);
    }

    /// <summary>
    /// Divides the slices of a read model among another number of lanes, and stores that number. No offset changes. Its processes then run with these
    /// lanes, whatever <see cref="ProjectionOptions.Lanes"/> says. The number is from 1 to 1,024; at least the number of the journal's shards, and at
    /// most the number of slices of <see cref="ProjectionOptions.Source"/>. A rebuild starts with as many lanes as the live read model has.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">The number is below 1 or above 1,024.</exception>
    /// <exception cref="ProjectionException">There is no such projection or read model, the read model is retired, or the command was refused: it has
    /// this number of lanes already, or cannot have it.</exception>
    public Task<string> SetLanesAsync(string name, int lanes, string? version = null, CancellationToken cancellationToken = default)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(lanes, 1);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(lanes, JournalSlices.Count);
        return CommandAsync(name, version, Of(CommandVerb.SetLanes) with { Lanes = lanes }, cancellationToken);
    }

    /// <summary>Removes a read model that is not live, with its offsets and dead letters, and calls <see cref="ProjectionHandler.DropAsync"/>.</summary>
    /// <exception cref="ProjectionException">There is no such projection or read model, the read model is live, or the command was refused.</exception>
    public Task<string> DropAsync(string name, string version, CancellationToken cancellationToken = default)
    {
        ArgumentException.ThrowIfNullOrEmpty(version);
        return CommandAsync(name, version, Of(CommandVerb.Drop), cancellationToken);
    }

    /// <summary>
    /// Returns the dead letters of a read model, lowest ordering first: those of one persistence id if it is given, and at most
    /// <paramref name="limit"/>, at least 1 and 100 by default.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">The limit is below 1.</exception>
    /// <exception cref="ProjectionException">There is no such projection or read model.</exception>
    public Task<IReadOnlyList<DeadLetter>> DeadLettersAsync(
        string name, string? persistenceId = null, string? version = null, int limit = 100, CancellationToken cancellationToken = default)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(limit, 1);
        return _store.DeadLettersAsync(name, version, persistenceId, limit, cancellationToken);
    }

    internal Task<List<FirstDeadLetter>> FirstDeadLettersAsync(string name, string? version, int limit, CancellationToken cancellationToken) =>
        _store.FirstDeadLettersAsync(name, version, limit, cancellationToken);

    internal Task<DeadLetterQueue> DeadLetterQueueAsync(string name, string persistenceId, long? sequenceNumber, string? version, CancellationToken cancellationToken) =>
        _store.DeadLetterQueueAsync(name, version, persistenceId, sequenceNumber, cancellationToken);

    /// <summary>
    /// Handles the dead letters of a persistence id again, in order, up to the first that fails again. A sequence number names a single event, which
    /// must be the first of them. If the read model is paused, this happens when it is resumed.
    /// </summary>
    /// <exception cref="ProjectionException">There is no such projection, read model or dead letter, the read model is retired, or the command was
    /// refused.</exception>
    public Task<string> RetryAsync(
        string name, string persistenceId, long? sequenceNumber = null, string? version = null, CancellationToken cancellationToken = default) =>
        CommandAsync(name, version, OfId(CommandVerb.Retry, persistenceId, sequenceNumber), cancellationToken);

    /// <summary>Handles all dead letters of a read model again, with one command for each persistence id. Returns the number of these ids.</summary>
    /// <exception cref="ProjectionException">There is no such projection or read model, the read model is retired, or some of the commands were
    /// refused.</exception>
    public Task<int> RetryAllAsync(string name, string? version = null, CancellationToken cancellationToken = default) =>
        CommandAllAsync(name, version, CommandVerb.Retry, cancellationToken);

    /// <summary>
    /// Removes dead letters of a persistence id without handling them: all, or the one with a sequence number. When none is left, later events of the
    /// id are handled again. If the read model is paused, this happens when it is resumed.
    /// </summary>
    /// <exception cref="ProjectionException">There is no such projection, read model or dead letter, the read model is retired, or the command was
    /// refused.</exception>
    public Task<string> DiscardAsync(
        string name, string persistenceId, long? sequenceNumber = null, string? version = null, CancellationToken cancellationToken = default) =>
        CommandAsync(name, version, OfId(CommandVerb.Discard, persistenceId, sequenceNumber), cancellationToken);

    /// <summary>Removes all dead letters of a read model without handling them, with one command for each persistence id. Returns the number of these ids.</summary>
    /// <exception cref="ProjectionException">There is no such projection or read model, the read model is retired, or some of the commands were
    /// refused.</exception>
    public Task<int> DiscardAllAsync(string name, string? version = null, CancellationToken cancellationToken = default) =>
        CommandAllAsync(name, version, CommandVerb.Discard, cancellationToken);

    // The store finds the read model by the projection's name.
    private static CommandRow Of(CommandVerb verb) => new(0, "", verb);

    private static CommandRow OfId(CommandVerb verb, string persistenceId, long? sequenceNumber)
    {
        ArgumentException.ThrowIfNullOrEmpty(persistenceId);
        return Of(verb) with { PersistenceId = persistenceId, SequenceNumber = sequenceNumber };
    }

    private async Task<string> CommandAsync(string name, string? version, CommandRow command, CancellationToken cancellation) =>
        await DoneAsync(name, await _store.InsertAsync(name, version, command, cancellation).ConfigureAwait(false), cancellation).ConfigureAwait(false);

    private async Task<string> DoneAsync(string name, long id, CancellationToken cancellation)
    {
        CommandOutcome? outcome = null;
        await Wait.UntilAsync(
            async () => (outcome = await _store.OutcomeAsync(id, cancellation).ConfigureAwait(false)).State != CommandState.Waiting,
            () => $"No process has executed the command yet. It is stored, and waits for a process that runs '{name}'.",
            () => $"The command is stored, and will be executed later by a process that runs '{name}'.", cancellation).ConfigureAwait(false);
        return outcome!.State == CommandState.Done ? outcome.Result : throw new ProjectionException(outcome.Result);
    }

    private async Task<int> CommandAllAsync(string name, string? version, CommandVerb verb, CancellationToken cancellation)
    {
        var ids = await _store.InsertAllAsync(name, version, verb, cancellation).ConfigureAwait(false);
        if (ids.Count == 0)
            return 0;
        await Wait.UntilAsync(
            async () => await _store.CountWaitingAsync(ids, cancellation).ConfigureAwait(false) == 0,
            () => FormattableString.Invariant($"The {ids.Count} commands are not all executed yet. They are stored, and wait for a process that runs '{name}'."),
            () => $"The commands are stored, and will be executed later by a process that runs '{name}'.", cancellation).ConfigureAwait(false);
        return await _store.RefusalsAsync(ids, cancellation).ConfigureAwait(false) is { Count: > 0 } refusals
            ? throw new ProjectionException($"{refusals.Count} of {ids.Count} ids were refused; the first: {refusals[0]}")
            : ids.Count;
    }

    private async Task StoppedAsync(string version, CancellationToken cancellation)
    {
        PauseProgress? progress = null;
        await Wait.UntilAsync(
            async () =>
            {
                progress = await _store.PauseProgressAsync(version, cancellation).ConfigureAwait(false);
                if (progress is { IsPaused: true, Lanes.Count: 0 })
                    progress = await _store.EndPauseAsync(version, cancellation).ConfigureAwait(false);
                return progress.Lanes.Count == 0;
            },
            Left, Left, cancellation).ConfigureAwait(false);
        if (!progress!.IsPaused)
            throw new ProjectionException($"'{version}' was resumed while its lanes were being stopped.");

        string Left() => $"'{version}' is paused, and the pause is stored. Each lane stops after its current batch. {(progress is null ? "It is not known which lanes still run." : $"Not stopped yet: {progress.Text}.")}";
    }

    private StoredWait Wait => new(_time, OnLongWait);
}
