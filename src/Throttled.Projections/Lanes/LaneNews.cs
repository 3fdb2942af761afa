using Throttled.Journal;
using Throttled.Projections.Failures;
using Throttled.Projections.Store;

namespace Throttled.Projections.Lanes;

/// <summary>Reports what happens to lanes, to log and metrics.</summary>
internal abstract class LaneNews
{
    /// <summary>A transaction was committed.</summary>
    internal abstract void Committed(int events, TimeSpan duration);

    /// <summary>An event failed.</summary>
    internal abstract void Failed(int lane, JournalEvent stored, int attempt, int maxAttempts, Exception cause);

    /// <summary>An event that had failed was passed over.</summary>
    internal abstract void Skipped(int lane, JournalEvent stored, Exception? cause);

    /// <summary>The decoder passed over an event.</summary>
    internal abstract void PassedOver(JournalEvent stored);

    /// <summary>The handler had nothing to do with an event.</summary>
    internal abstract void Unhandled(ProjectionEvent handled);

    /// <summary>An event became a dead letter.</summary>
    internal abstract void Parked(int lane, DeadLetterRow letter, Exception? cause);

    /// <summary>A lane goes no further.</summary>
    internal abstract void Stopped(int lane, Exception cause);

    /// <summary>A lane is not as its runner knew it.</summary>
    internal abstract void Fenced(int lane, long epoch, string reason);

    /// <summary>The read model does not answer, or not as it should.</summary>
    internal abstract void Retrying(int lane, Exception cause);

    /// <summary>It does again.</summary>
    internal abstract void Recovered(int lane);

    /// <summary>The lane does not ask it any more.</summary>
    internal abstract void GaveUp(int lane);

    /// <summary>A shard of the journal cannot be read.</summary>
    internal abstract void ReadFailed(int shard, Exception cause);

    /// <summary>It can.</summary>
    internal abstract void ReadWorks(int shard);

    /// <summary>Nothing is to be read of it.</summary>
    internal abstract void ReadsEnded(int shard);

    /// <summary>The journal cannot be read, and waiting does not cure that: the lanes that are read for go no further.</summary>
    internal abstract void ReadStopped(IReadOnlyList<int> lanes, Exception cause);

    /// <summary>A command has ended.</summary>
    internal abstract void Executed(int lane, CommandRow command, CommandState state, string result);
}
