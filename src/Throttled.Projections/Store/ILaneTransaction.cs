using System.Data.Common;
using Throttled.Projections.Failures;
using Throttled.Projections.Positions;

namespace Throttled.Projections.Store;

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
    Task MoveAsync(PositionMove move, CancellationToken cancellation);

    /// <summary>Counts events that the handler had nothing to do with, beside the offsets that were moved.</summary>
    Task CountUnhandledAsync(int events, CancellationToken cancellation);

    /// <summary>Keeps dead letters; one that is there already is replaced.</summary>
    Task ParkAsync(IReadOnlyList<DeadLetterRow> letters, CancellationToken cancellation);

    /// <summary>Removes dead letters of one id.</summary>
    /// <param name="persistenceId">The id.</param>
    /// <param name="orderings">Their orderings.</param>
    /// <param name="cancellation">Gives up.</param>
    /// <exception cref="FencedException">One of them is not there.</exception>
    Task UnparkAsync(string persistenceId, IReadOnlyList<long> orderings, CancellationToken cancellation);

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
