using System.Data.Common;
using Throttled.Journal;
using Throttled.Projections.Offsets;
using Throttled.Projections.Tables;

namespace Throttled.Projections.Store;

/// <summary>The statements of a lane on the read model database. Calls of one lane do not overlap.</summary>
internal interface ILaneStore
{
    /// <summary>Reads the offsets of a lane, and the persistence ids that have dead letters. No stored row may reach beyond the lane's slices.</summary>
    /// <exception cref="FencedException">The rows do not cover the slices exactly: the lanes were laid out anew.</exception>
    Task<LaneCheckpoint> ReadLaneAsync(string version, SliceRange slices, CancellationToken cancellation);

    /// <summary>Reads at most <paramref name="limit"/> dead letters of one persistence id, lowest ordering first.</summary>
    Task<IReadOnlyList<DeadLetter>> ReadDeadLettersAsync(string version, string persistenceId, int limit, CancellationToken cancellation);

    /// <summary>Finds the dead letters of one event, and whether its persistence id has others.</summary>
    Task<DeadLettersFound> FindDeadLettersAsync(string version, string persistenceId, long sequenceNumber, CancellationToken cancellation);

    /// <summary>
    /// Begins a transaction on a connection of its own, at the epoch that the lane was read at. The connection is returned when the transaction ends.
    /// </summary>
    Task<ILaneTransaction> BeginAsync(string version, long epoch, CancellationToken cancellation);

    /// <summary>
    /// Whether an exception is a database error that a retry may cure. It may come from this database, or from another that the handler uses.
    /// </summary>
    bool IsTransient(Exception error);
}

/// <summary>
/// One transaction of a lane. Disposed without <see cref="CommitAsync"/>, it is rolled back. Every transaction begins with <see cref="MoveAsync"/>.
/// That checks that the lane is still as its runner knows it, and locks it to the end of the transaction.
/// </summary>
internal interface ILaneTransaction : IAsyncDisposable
{
    /// <summary>The transaction for the handler's writes.</summary>
    DbTransaction Transaction { get; }

    /// <summary>Replaces the rows of the lane's offsets, under the epoch of the transaction.</summary>
    /// <exception cref="FencedException">A row is not as the lane knows it, or has another epoch.</exception>
    Task MoveAsync(OffsetMove move, CancellationToken cancellation);

    /// <summary>Counts events that the handler did nothing with, in the offset rows that were moved.</summary>
    Task CountUnhandledAsync(int events, CancellationToken cancellation);

    /// <summary>Stores dead letters. One that exists already is replaced.</summary>
    Task StoreDeadLettersAsync(IReadOnlyList<DeadLetter> deadLetters, CancellationToken cancellation);

    /// <summary>Removes dead letters of one persistence id by their orderings.</summary>
    /// <exception cref="FencedException">One of the dead letters does not exist.</exception>
    Task RemoveDeadLettersAsync(string persistenceId, IReadOnlyList<long> orderings, CancellationToken cancellation);

    /// <exception cref="FencedException">The command has already ended.</exception>
    Task EndCommandAsync(long id, CommandOutcome outcome, CancellationToken cancellation);

    /// <summary>
    /// Whether a handler's exception is a fault of this transaction or its connection that a retry may cure. Faults of anything else that the handler
    /// uses are the handler's own.
    /// </summary>
    Task<bool> HasFailedByAsync(Exception error, CancellationToken cancellation);

    Task CommitAsync(CancellationToken cancellation);
}

/// <summary>The stored state of a lane.</summary>
/// <param name="Epoch">The epoch of its rows. A reset and a new number of lanes begin a new epoch.</param>
/// <param name="Offsets">Its rows in the order of the slices.</param>
/// <param name="DeadLetterIds">The persistence ids that have dead letters.</param>
/// <param name="DeadLetters">The number of dead letters.</param>
internal sealed record LaneCheckpoint(
    long Epoch, IReadOnlyList<SliceOffset> Offsets, IReadOnlyCollection<string> DeadLetterIds, int DeadLetters);
