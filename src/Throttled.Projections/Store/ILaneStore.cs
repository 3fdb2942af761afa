using System.Data.Common;
using Throttled.Projections.Offsets;
using Throttled.Projections.Tables;

namespace Throttled.Projections.Store;

/// <summary>The statements of a lane. Calls of one lane do not overlap.</summary>
internal interface ILaneStore
{
    /// <summary>Throws <see cref="FencedException"/> if the rows do not cover the slices exactly: the lanes were laid out anew.</summary>
    Task<LaneCheckpoint> ReadLaneAsync(string version, SliceRange slices, CancellationToken cancellation);

    Task<IReadOnlyList<DeadLetter>> ReadDeadLettersAsync(string version, string persistenceId, int limit, CancellationToken cancellation);

    Task<DeadLettersFound> FindDeadLettersAsync(string version, string persistenceId, long sequenceNumber, CancellationToken cancellation);

    /// <summary>Begins a transaction on a connection of its own, at the epoch that the lane was read at.</summary>
    Task<ILaneTransaction> BeginAsync(string version, long epoch, CancellationToken cancellation);

    /// <summary>Whether a retry may cure an error of this database, or of another that the handler uses.</summary>
    bool IsTransient(Exception error);
}

/// <summary>
/// One transaction of a lane. Disposed without <see cref="CommitAsync"/>, it is rolled back. Each begins with <see cref="MoveAsync"/>, which checks
/// that the lane is as its runner knows it, and locks it. A method throws <see cref="FencedException"/> if it is not.
/// </summary>
internal interface ILaneTransaction : IAsyncDisposable
{
    DbTransaction Transaction { get; }

    Task MoveAsync(OffsetMove move);

    Task CountUnhandledAsync(int events);

    Task StoreDeadLettersAsync(IReadOnlyList<DeadLetter> deadLetters);

    Task RemoveDeadLettersAsync(string persistenceId, IReadOnlyList<long> orderings);

    /// <summary>Locks a command that still waits, and ends it if there is an outcome. Throws <see cref="CommandEndedException"/> if it does not wait any more.</summary>
    Task RecordCommandAsync(long id, CommandOutcome? outcome);

    /// <summary>Whether a retry may cure a handler's exception, because this transaction or its connection failed.</summary>
    Task<bool> HasFailedByAsync(Exception error);

    Task CommitAsync();
}

/// <summary>The stored state of a lane. A reset and a new number of lanes begin a new epoch.</summary>
internal sealed record LaneCheckpoint(
    long Epoch, IReadOnlyList<SliceOffset> Offsets, IReadOnlyCollection<string> DeadLetterIds, int DeadLetters)
{
    internal bool IsPaused { get; init; }
}
