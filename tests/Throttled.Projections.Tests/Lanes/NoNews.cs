using Throttled.Journal;
using Throttled.Projections.Failures;
using Throttled.Projections.Lanes;
using Throttled.Projections.Store;

namespace Throttled.Projections.Tests.Lanes;

/// <summary>Nobody wants to know.</summary>
internal sealed class NoNews : LaneNews
{
    internal override void Committed(int events, TimeSpan duration)
    {
    }

    internal override void Failed(int lane, JournalEvent stored, int attempt, int maxAttempts, Exception cause)
    {
    }

    internal override void Skipped(int lane, JournalEvent stored, Exception? cause)
    {
    }

    internal override void Parked(int lane, DeadLetterRow letter, Exception? cause)
    {
    }

    internal override void PassedOver(JournalEvent stored)
    {
    }

    internal override void Unhandled(ProjectionEvent handled)
    {
    }

    internal override void Stopped(int lane, Exception cause)
    {
    }

    internal override void Fenced(int lane, long epoch, string reason)
    {
    }

    internal override void Retrying(int lane, Exception cause)
    {
    }

    internal override void Recovered(int lane)
    {
    }

    internal override void GaveUp(int lane)
    {
    }

    internal override void ReadFailed(int shard, Exception cause)
    {
    }

    internal override void ReadWorks(int shard)
    {
    }

    internal override void ReadsEnded(int shard)
    {
    }

    internal override void ReadStopped(IReadOnlyList<int> lanes, Exception cause)
    {
    }

    internal override void Executed(int lane, CommandRow command, CommandState state, string result)
    {
    }
}
