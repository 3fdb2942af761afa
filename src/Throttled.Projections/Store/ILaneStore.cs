using System.Data.Common;
using Throttled.Journal;
using Throttled.Projections.Offsets;
using Throttled.Projections.Tables;

namespace Throttled.Projections.Store;

/// <summary>What a lane needs of the read model's database. Calls of one lane do not overlap.</summary>
internal interface ILaneStore
{
    /// <summary>Reads how far a lane has come, and for which ids it keeps dead letters.</summary>
    /// <param name="version">The read model.</param>
    /// <param name="slices">The lane's slices; the stored rows do not reach over its ends.</param>
    /// <param name="cancellation">Gives up.</param>
    /// <exception cref="FencedException">The rows do not cover the slices exactly: the lanes were laid out anew.</exception>
    Task<LaneCheckpoint> ReadLaneAsync(string version, SliceRange slices, CancellationToken cancellation);

    /// <summary>Reads the dead letters of one id, lowest ordering first.</summary>
    /// <param name="version">The read model.</param>
    /// <param name="persistenceId">The id.</param>
    /// <param name="limit">How many at most.</param>
    /// <param name="cancellation">Gives up.</param>
    Task<IReadOnlyList<DeadLetterRow>> ReadDeadLettersAsync(string version, string persistenceId, int limit, CancellationToken cancellation);

    /// <summary>Finds the dead letters of one event, and whether its id has others.</summary>
    /// <param name="version">The read model.</param>
    /// <param name="persistenceId">The id.</param>
    /// <param name="sequenceNumber">The event's.</param>
    /// <param name="cancellation">Gives up.</param>
    Task<DeadLettersFound> FindDeadLettersAsync(string version, string persistenceId, long sequenceNumber, CancellationToken cancellation);

    /// <summary>Begins a transaction, on a connection of its own that it gives back with its end.</summary>
    /// <param name="version">The read model.</param>
    /// <param name="epoch">The epoch that the lane was read at.</param>
    /// <param name="cancellation">Gives up.</param>
    Task<ILaneTransaction> BeginAsync(string version, long epoch, CancellationToken cancellation);

    /// <summary>Whether an exception is a database's, be it this one or another that a handler uses, and waiting and repeating may cure it.</summary>
    bool IsTransient(Exception error);
}

/// <summary>
/// One transaction of a lane. Disposed without <see cref="CommitAsync"/>, it is rolled back. Every transaction begins with
/// <see cref="MoveAsync"/>, which makes sure that the lane is still as its runner knows it and holds it so to the end.
/// </summary>
internal interface ILaneTransaction : IAsyncDisposable
{
    /// <summary>What the handler writes with.</summary>
    DbTransaction Transaction { get; }

    /// <summary>Replaces the rows of the lane's offsets, under the epoch of the transaction.</summary>
    /// <exception cref="FencedException">A row is not there as it should be, or has another epoch.</exception>
    Task MoveAsync(OffsetMove move, CancellationToken cancellation);

    /// <summary>Counts events that the handler had nothing to do with, beside the offsets that were moved.</summary>
    Task CountUnhandledAsync(int events, CancellationToken cancellation);

    /// <summary>Keeps dead letters; one that is there already is replaced.</summary>
    Task StoreDeadLettersAsync(IReadOnlyList<DeadLetterRow> deadLetters, CancellationToken cancellation);

    /// <summary>Removes dead letters of one id.</summary>
    /// <param name="persistenceId">The id.</param>
    /// <param name="orderings">Their orderings.</param>
    /// <param name="cancellation">Gives up.</param>
    /// <exception cref="FencedException">One of them is not there.</exception>
    Task RemoveDeadLettersAsync(string persistenceId, IReadOnlyList<long> orderings, CancellationToken cancellation);

    /// <summary>Ends a command with a result that a person reads.</summary>
    /// <exception cref="FencedException">It has ended before.</exception>
    Task EndCommandAsync(long id, CommandState state, string result, CancellationToken cancellation);

    /// <summary>
    /// Whether an exception of a handler that wrote by <see cref="Transaction"/> is a fault of this transaction or its connection that waiting may cure. One
    /// of something else that the handler uses is the handler's.
    /// </summary>
    Task<bool> HasFailedByAsync(Exception error, CancellationToken cancellation);

    Task CommitAsync(CancellationToken cancellation);
}

/// <summary>A lane as the database has it.</summary>
/// <param name="Epoch">Which layout of the lanes it is of; a reset and another number of lanes begin a new one.</param>
/// <param name="Offsets">Its rows in the order of the slices.</param>
/// <param name="DeadLetterIds">The ids that have dead letters.</param>
/// <param name="DeadLetters">How many dead letters there are.</param>
internal sealed record LaneCheckpoint(
    long Epoch, IReadOnlyList<SliceOffset> Offsets, IReadOnlyCollection<string> DeadLetterIds, int DeadLetters);
