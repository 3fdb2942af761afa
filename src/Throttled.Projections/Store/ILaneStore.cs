using Throttled.Journal;
using Throttled.Projections.Failures;

namespace Throttled.Projections.Store;

/// <summary>What a lane needs of the read model's database. Calls of one lane do not overlap.</summary>
internal interface ILaneStore
{
    /// <summary>Reads how far a lane has come, and for which ids it keeps dead letters.</summary>
    /// <param name="target">The read model.</param>
    /// <param name="slices">The lane's slices; the stored rows do not reach over its ends.</param>
    /// <param name="cancellation">Gives up.</param>
    /// <exception cref="FencedException">The rows do not cover the slices exactly: the lanes were laid out anew.</exception>
    Task<LaneRecord> ReadLaneAsync(string target, SliceRange slices, CancellationToken cancellation);

    /// <summary>Reads the dead letters of one id, lowest ordering first.</summary>
    /// <param name="target">The read model.</param>
    /// <param name="persistenceId">The id.</param>
    /// <param name="most">How many at most.</param>
    /// <param name="cancellation">Gives up.</param>
    Task<IReadOnlyList<DeadLetterRow>> ReadLettersAsync(string target, string persistenceId, int most, CancellationToken cancellation);

    /// <summary>Finds the dead letters of one event, and whether its id has others.</summary>
    /// <param name="target">The read model.</param>
    /// <param name="persistenceId">The id.</param>
    /// <param name="sequenceNumber">The event's.</param>
    /// <param name="cancellation">Gives up.</param>
    Task<LettersFound> FindLettersAsync(string target, string persistenceId, long sequenceNumber, CancellationToken cancellation);

    /// <summary>Begins a transaction, on a connection of its own that it gives back with its end.</summary>
    /// <param name="target">The read model.</param>
    /// <param name="epoch">The epoch that the lane was read at.</param>
    /// <param name="cancellation">Gives up.</param>
    Task<ILaneTransaction> BeginAsync(string target, long epoch, CancellationToken cancellation);

    /// <summary>Whether an exception is a database's, be it this one or another that a handler uses, and waiting and repeating may cure it.</summary>
    bool IsTransient(Exception error);
}
