using Throttled.Journal;
using Throttled.Projections.Lanes;
using Throttled.Projections.Tables;

namespace Throttled.Projections.Tests.Lanes;

/// <summary>Telemetry that reports nothing.</summary>
internal sealed class NoTelemetry : LaneTelemetry
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

    internal override void DeadLettered(int lane, DeadLetterRow deadLetter, Exception? cause)
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

    internal override void RetryEnded(int lane)
    {
    }

    internal override void ReadFailed(int shard, Exception cause)
    {
    }

    internal override void Readable(int shard)
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
