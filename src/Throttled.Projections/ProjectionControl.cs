using Throttled.Journal;
using Throttled.Projections.Store;
using Throttled.Projections.Tables;

namespace Throttled.Projections;

/// <summary>
/// Operates projections from anywhere that reaches the read model's database: tells how they do, and tells them what to do. What takes a
/// command is done by a process that runs the projection; the call waits until it is done, for as long as no process runs. Cancelling stops the
/// waiting alone: the command stays, and is executed. Thread-safe.
/// </summary>
/// <remarks>
/// Each operation takes the projection's name, and means its live read model unless another is named by <c>target</c>. What cannot have an effect is
/// refused, as pausing a read model that is retired.
/// </remarks>
public sealed class ProjectionControl
{
    private const int MaxNameLength = 200;

    private static readonly TimeSpan Poll = TimeSpan.FromMilliseconds(100);

    private readonly ControlStore _store;
    private readonly TimeProvider _time;

    /// <param name="readModel">The read model's database.</param>
    /// <param name="time">Times how often a command is looked after; the system's by default.</param>
    public ProjectionControl(ReadModelDatabase readModel, TimeProvider? time = null)
    {
        ArgumentNullException.ThrowIfNull(readModel);
        _store = new(readModel);
        _time = time ?? TimeProvider.System;
    }

    /// <summary>The names of all projections that were ever started in this database, in order.</summary>
    /// <param name="cancellationToken">Gives up.</param>
    /// <returns>Empty where there is none.</returns>
    public Task<IReadOnlyList<string>> NamesAsync(CancellationToken cancellationToken = default) => _store.NamesAsync(cancellationToken);

    /// <summary>How the read models of a projection do.</summary>
    /// <param name="name">The projection's name.</param>
    /// <param name="cancellationToken">Gives up.</param>
    /// <returns>One for each read model; empty where no projection of that name was ever started in this database.</returns>
    public Task<IReadOnlyList<ProjectionStatus>> StatusAsync(string name, CancellationToken cancellationToken = default)
    {
        ArgumentException.ThrowIfNullOrEmpty(name);
        return _store.StatusAsync(name, cancellationToken);
    }

    /// <summary>Makes a read model stand still, in all processes and over restarts. Its processes notice within some seconds.</summary>
    /// <param name="name">The projection's name.</param>
    /// <param name="version">Which of its read models; the live one by default.</param>
    /// <param name="cancellationToken">Gives up.</param>
    /// <exception cref="ProjectionException">There is no such projection or read model, or it is retired.</exception>
    public Task PauseAsync(string name, string? version = null, CancellationToken cancellationToken = default) =>
        _store.PauseAsync(name, version, cancellationToken);

    /// <summary>Makes a read model go on that was paused, and tries its failed lanes again, paused or not.</summary>
    /// <param name="name">The projection's name.</param>
    /// <param name="version">Which of its read models; the live one by default.</param>
    /// <param name="cancellationToken">Gives up.</param>
    /// <exception cref="ProjectionException">There is no such projection or read model, or it is retired.</exception>
    public Task ResumeAsync(string name, string? version = null, CancellationToken cancellationToken = default) =>
        _store.ResumeAsync(name, version, cancellationToken);

    /// <summary>Empties a read model by <see cref="ProjectionHandler.PrepareAsync"/> and handles all events again. Dead letters are removed.</summary>
    /// <param name="name">The projection's name.</param>
    /// <param name="version">Which of its read models; the live one by default.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>What was done, for a person to read.</returns>
    /// <exception cref="ProjectionException">There is no such projection or read model, it is retired, or the command was refused.</exception>
    public Task<string> ResetAsync(string name, string? version = null, CancellationToken cancellationToken = default) =>
        ResetAsync(name, 0, version, cancellationToken);

    /// <summary>
    /// Handles the events above an ordering again, or passes over those up to it. The read model is not emptied, but where the ordering is 0. Dead
    /// letters above it are removed, because their events come again. Refused above 0 where the journal is sharded: there it takes a
    /// <see cref="ShardedPosition"/>.
    /// </summary>
    /// <param name="name">The projection's name.</param>
    /// <param name="ordering">The last ordering that is not handled again; at least 0.</param>
    /// <param name="version">Which of its read models; the live one by default.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>What was done, for a person to read.</returns>
    /// <exception cref="ArgumentOutOfRangeException">The ordering is negative.</exception>
    /// <exception cref="ProjectionException">There is no such projection or read model, it is retired, or the command was refused.</exception>
    public Task<string> ResetAsync(string name, long ordering, string? version = null, CancellationToken cancellationToken = default)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(ordering);
        return CommandAsync(name, version, Of(CommandVerb.Reset) with { Ordering = ordering }, cancellationToken);
    }

    /// <summary>
    /// Handles the events of a sharded journal behind an offset again, or passes over those up to it; otherwise as
    /// <see cref="ResetAsync(string, long, string, CancellationToken)"/>.
    /// </summary>
    /// <param name="name">The projection's name.</param>
    /// <param name="offset">The place behind which it goes on: as <see cref="ProjectionStatus.Offsets"/> told it, or <see cref="ShardedPosition.At"/>.</param>
    /// <param name="version">Which of its read models; the live one by default.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>What was done, for a person to read.</returns>
    /// <exception cref="ProjectionException">
    /// There is no such projection or read model, it is retired, or the command was refused: the offset is of other shards.
    /// </exception>
    public Task<string> ResetAsync(string name, ShardedPosition offset, string? version = null, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(offset);
        return CommandAsync(name, version, Of(CommandVerb.Reset) with { ShardedOffset = offset.ToString() }, cancellationToken);
    }

    /// <summary>
    /// Handles the events that were persisted since a time again. The read model is not emptied. Dead letters of these events are removed, because they
    /// come again.
    /// </summary>
    /// <param name="name">The projection's name.</param>
    /// <param name="time">The time, by the journal's timestamps.</param>
    /// <param name="version">Which of its read models; the live one by default.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>What was done, for a person to read.</returns>
    /// <exception cref="ProjectionException">There is no such projection or read model, it is retired, or the command was refused.</exception>
    public Task<string> ResetAsync(string name, DateTimeOffset time, string? version = null, CancellationToken cancellationToken = default) =>
        CommandAsync(name, version, Of(CommandVerb.Reset) with { Timestamp = time.UtcTicks }, cancellationToken);

    /// <summary>Begins to build a read model of a projection beside the live one. Waits until it was begun, and not until it has caught up.</summary>
    /// <param name="name">The projection's name.</param>
    /// <param name="newVersion">The new read model's name, from 1 to 200 characters; the handler is told it.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>What was done, for a person to read.</returns>
    /// <exception cref="ArgumentException">The new name has no characters, or above 200.</exception>
    /// <exception cref="ProjectionException">There is no such projection, the new read model is there already, or the command was refused.</exception>
    public async Task<string> RebuildAsync(string name, string newVersion, CancellationToken cancellationToken = default)
    {
        ArgumentException.ThrowIfNullOrEmpty(name);
        ArgumentException.ThrowIfNullOrEmpty(newVersion);
        if (newVersion.Length > MaxNameLength)
            throw new ArgumentException($"The name of the new read model has {newVersion.Length} characters; {MaxNameLength} are the most. Shorten it.", nameof(newVersion));
        var id = await _store.RebuildAsync(name, newVersion, cancellationToken).ConfigureAwait(false);
        return await DoneAsync(id, cancellationToken).ConfigureAwait(false);
    }

    /// <summary>
    /// Makes a read model that was built beside the live one the live one, by <see cref="ProjectionHandler.SwapAsync"/>; the one that was live is
    /// written no more. Refused where the new one is more than <see cref="ProjectionOptions.BatchSize"/> times the old one's lanes behind it, in orderings:
    /// readers may miss that many events at most for a moment. Refused, too, where the new one has dead letters or failed lanes, unless by force.
    /// </summary>
    /// <param name="name">The projection's name.</param>
    /// <param name="version">The read model that is to be live.</param>
    /// <param name="force">Whether dead letters and failed lanes do not matter: readers miss these events until they are retried and the lanes resumed.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>What was done, for a person to read.</returns>
    /// <exception cref="ProjectionException">
    /// There is no such projection or read model, it was not built beside the live one, or the command was refused.
    /// </exception>
    public Task<string> SwapAsync(string name, string version, bool force = false, CancellationToken cancellationToken = default)
    {
        ArgumentException.ThrowIfNullOrEmpty(version);
        return CommandAsync(name, version, Of(force ? CommandVerb.ForcedSwap : CommandVerb.Swap), cancellationToken);
    }

    /// <summary>
    /// Divides the slices of a read model among another number of lanes, and stores that; no offset changes. Its processes go on with these lanes, whatever
    /// <see cref="ProjectionOptions.Lanes"/> says. A rebuild begins with as many lanes as the live read model has.
    /// </summary>
    /// <param name="name">The projection's name.</param>
    /// <param name="lanes">How many, from 1 to 1,024; at least the shards of the journal, and at most the slices of <see cref="ProjectionOptions.Source"/>.</param>
    /// <param name="version">Which of its read models; the live one by default.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>What was done, for a person to read.</returns>
    /// <exception cref="ArgumentOutOfRangeException">The number is below 1 or above 1,024.</exception>
    /// <exception cref="ProjectionException">
    /// There is no such projection or read model, it is retired, or the command was refused: it has so many lanes already, or cannot have them.
    /// </exception>
    public Task<string> SetLanesAsync(string name, int lanes, string? version = null, CancellationToken cancellationToken = default)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(lanes, 1);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(lanes, JournalSlices.Count);
        return CommandAsync(name, version, Of(CommandVerb.SetLanes) with { Lanes = lanes }, cancellationToken);
    }

    /// <summary>Removes a read model that is not live, with its offsets and dead letters, by <see cref="ProjectionHandler.DropAsync"/>.</summary>
    /// <param name="name">The projection's name.</param>
    /// <param name="version">Which of its read models.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>What was done, for a person to read.</returns>
    /// <exception cref="ProjectionException">There is no such projection or read model, it is the live one, or the command was refused.</exception>
    public Task<string> DropAsync(string name, string version, CancellationToken cancellationToken = default)
    {
        ArgumentException.ThrowIfNullOrEmpty(version);
        return CommandAsync(name, version, Of(CommandVerb.Drop), cancellationToken);
    }

    /// <summary>The dead letters of a read model, lowest ordering first.</summary>
    /// <param name="name">The projection's name.</param>
    /// <param name="persistenceId">The one id whose dead letters are meant; null for all.</param>
    /// <param name="version">Which of its read models; the live one by default.</param>
    /// <param name="limit">How many at most; at least 1, 100 by default.</param>
    /// <param name="cancellationToken">Gives up.</param>
    /// <exception cref="ArgumentOutOfRangeException">None are asked for.</exception>
    /// <exception cref="ProjectionException">There is no such projection or read model.</exception>
    public Task<IReadOnlyList<DeadLetter>> DeadLettersAsync(
        string name, string? persistenceId = null, string? version = null, int limit = 100, CancellationToken cancellationToken = default)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(limit, 1);
        return _store.DeadLettersAsync(name, version, persistenceId, limit, cancellationToken);
    }

    /// <summary>
    /// Handles the dead letters of an id again, in order, up to the first that fails again. A read model that is paused does so when it is resumed.
    /// </summary>
    /// <param name="name">The projection's name.</param>
    /// <param name="persistenceId">The id.</param>
    /// <param name="sequenceNumber">The one event that is meant, which must be the first of the id; null for all.</param>
    /// <param name="version">Which of its read models; the live one by default.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>What was done, for a person to read.</returns>
    /// <exception cref="ProjectionException">
    /// There is no such projection, read model or dead letter, the read model is retired, or the command was refused.
    /// </exception>
    public Task<string> RetryAsync(
        string name, string persistenceId, long? sequenceNumber = null, string? version = null, CancellationToken cancellationToken = default) =>
        CommandAsync(name, version, OfId(CommandVerb.Retry, persistenceId, sequenceNumber), cancellationToken);

    /// <summary>Handles all dead letters of a read model again, each id by a command of its own.</summary>
    /// <param name="name">The projection's name.</param>
    /// <param name="version">Which of its read models; the live one by default.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>How many ids were retried; 0 where there is no dead letter.</returns>
    /// <exception cref="ProjectionException">There is no such projection or read model, it is retired, or some of the commands were refused.</exception>
    public Task<int> RetryAllAsync(string name, string? version = null, CancellationToken cancellationToken = default) =>
        CommandAllAsync(name, version, CommandVerb.Retry, cancellationToken);

    /// <summary>
    /// Removes dead letters of an id without handling them. Its later events are handled again when none is left. A read model that is paused does so
    /// when it is resumed.
    /// </summary>
    /// <param name="name">The projection's name.</param>
    /// <param name="persistenceId">The id.</param>
    /// <param name="sequenceNumber">The one event that is meant; null for all.</param>
    /// <param name="version">Which of its read models; the live one by default.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>What was done, for a person to read.</returns>
    /// <exception cref="ProjectionException">
    /// There is no such projection, read model or dead letter, the read model is retired, or the command was refused.
    /// </exception>
    public Task<string> DiscardAsync(
        string name, string persistenceId, long? sequenceNumber = null, string? version = null, CancellationToken cancellationToken = default) =>
        CommandAsync(name, version, OfId(CommandVerb.Discard, persistenceId, sequenceNumber), cancellationToken);

    /// <summary>Removes all dead letters of a read model without handling them, each id by a command of its own.</summary>
    /// <param name="name">The projection's name.</param>
    /// <param name="version">Which of its read models; the live one by default.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>How many ids' dead letters were discarded; 0 where there is none.</returns>
    /// <exception cref="ProjectionException">There is no such projection or read model, it is retired, or some of the commands were refused.</exception>
    public Task<int> DiscardAllAsync(string name, string? version = null, CancellationToken cancellationToken = default) =>
        CommandAllAsync(name, version, CommandVerb.Discard, cancellationToken);

    // Which read model it is for is found by the projection's name.
    private static CommandRow Of(CommandVerb verb) => new(0, "", verb);

    private static CommandRow OfId(CommandVerb verb, string persistenceId, long? sequenceNumber)
    {
        ArgumentException.ThrowIfNullOrEmpty(persistenceId);
        return Of(verb) with { PersistenceId = persistenceId, SequenceNumber = sequenceNumber };
    }

    private async Task<string> CommandAsync(string name, string? version, CommandRow command, CancellationToken cancellation) =>
        await DoneAsync(await _store.InsertAsync(name, version, command, cancellation).ConfigureAwait(false), cancellation).ConfigureAwait(false);

    private async Task<string> DoneAsync(long id, CancellationToken cancellation)
    {
        while (true)
        {
            var (state, result) = await _store.OutcomeAsync(id, cancellation).ConfigureAwait(false);
            if (state == CommandState.Done)
                return result;
            if (state == CommandState.Refused)
                throw new ProjectionException(result);
            await Task.Delay(Poll, _time, cancellation).ConfigureAwait(false);
        }
    }

    private async Task<int> CommandAllAsync(string name, string? version, CommandVerb verb, CancellationToken cancellation)
    {
        var ids = await _store.InsertAllAsync(name, version, verb, cancellation).ConfigureAwait(false);
        if (ids.Count == 0)
            return 0;
        while (await _store.CountWaitingAsync(ids, cancellation).ConfigureAwait(false) > 0)
            await Task.Delay(Poll, _time, cancellation).ConfigureAwait(false);
        if (await _store.RefusalsAsync(ids, cancellation).ConfigureAwait(false) is { Count: > 0 } refusals)
            throw new ProjectionException($"{refusals.Count} of {ids.Count} ids were refused; the first: {refusals[0]}");
        return ids.Count;
    }
}
