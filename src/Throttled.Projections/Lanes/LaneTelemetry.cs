using System.Collections.Concurrent;
using System.Runtime.CompilerServices;
using Microsoft.Extensions.Logging;
using Throttled.Journal;
using Throttled.Projections.Diagnostics;
using Throttled.Projections.Tables;

namespace Throttled.Projections.Lanes;

/// <summary>Reports what happens to lanes, to log and metrics.</summary>
internal abstract class LaneTelemetry
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
    internal abstract void DeadLettered(int lane, DeadLetterRow deadLetter, Exception? cause);

    /// <summary>A lane goes no further.</summary>
    internal abstract void Stopped(int lane, Exception cause);

    /// <summary>A lane is not as its runner knew it.</summary>
    internal abstract void Fenced(int lane, long epoch, string reason);

    /// <summary>The read model does not answer, or not as it should.</summary>
    internal abstract void Retrying(int lane, Exception cause);

    /// <summary>It does again.</summary>
    internal abstract void Recovered(int lane);

    /// <summary>The lane does not ask it any more.</summary>
    internal abstract void RetryEnded(int lane);

    /// <summary>A shard of the journal cannot be read.</summary>
    internal abstract void ReadFailed(int shard, Exception cause);

    /// <summary>It can.</summary>
    internal abstract void Readable(int shard);

    /// <summary>Nothing is to be read of it.</summary>
    internal abstract void ReadsEnded(int shard);

    /// <summary>The journal cannot be read, and waiting does not cure that: the lanes that are read for go no further.</summary>
    internal abstract void ReadStopped(IReadOnlyList<int> lanes, Exception cause);

    /// <summary>A command has ended.</summary>
    internal abstract void Executed(int lane, CommandRow command, CommandState state, string result);
}

/// <summary>Reports what happens to the lanes of one version, to log and metrics. Thread-safe.</summary>
internal sealed class VersionTelemetry(string version, ILogger log, VersionMetrics metrics, ProjectionAvailability availability, TimeProvider clock) : LaneTelemetry
{
    private const int MaxKinds = 100;

    // Once, another was quicker; twice, where a command ended beside the round that started the lane again.
    private const int ManyFences = 3;

    // What was so long ago has nothing to do with what is now. Commits do not tell: of two processes with one name, each commits until the other has.
    private static readonly TimeSpan Memory = TimeSpan.FromHours(1);

    // What was logged for all lanes of a read, and need not be logged for each; by the exception.
    private readonly ConditionalWeakTable<Exception, object> _logged = [];
    private readonly ConcurrentDictionary<int, (long Epoch, int Count, long At)> _fenced = [];
    private readonly ConcurrentDictionary<string, bool> _passedOver = new(StringComparer.Ordinal);

    internal override void Committed(int events, TimeSpan duration) => metrics.Committed(events, duration);

    internal override void Failed(int lane, JournalEvent stored, int attempt, int maxAttempts, Exception cause)
    {
        metrics.Failed();
        log.AttemptFailed(version, lane, stored, attempt, maxAttempts, cause);
    }

    internal override void Skipped(int lane, JournalEvent stored, Exception? cause)
    {
        metrics.Skipped();
        log.Skipped(version, lane, stored, cause);
    }

    internal override void PassedOver(JournalEvent stored)
    {
        metrics.PassedOver();
        if (IsNew($"manifest {stored.Manifest}"))
            log.DecoderPassesOver(version, stored.Manifest, stored);
    }

    internal override void Unhandled(ProjectionEvent handled)
    {
        metrics.Unhandled();
        var type = handled.Payload.GetType().FullName ?? handled.Payload.GetType().Name;
        if (IsNew($"type {type}"))
            log.HandlerPassesOver(version, type, handled.Stored);
    }

    // Once for each kind of event: there are not many, unless manifests are made up.
    private bool IsNew(string kind) => _passedOver.Count < MaxKinds && _passedOver.TryAdd(kind, true);

    internal override void DeadLettered(int lane, DeadLetterRow deadLetter, Exception? cause)
    {
        metrics.DeadLettered();
        if (deadLetter.Error is null)
            log.Queued(version, lane, deadLetter.Stored);
        else
            log.DeadLettered(version, lane, deadLetter.Stored, deadLetter.Attempts, cause);
    }

    internal override void Stopped(int lane, Exception cause)
    {
        if (!_logged.TryGetValue(cause, out _))
            log.LaneStopped(version, lane, ErrorText.Of(cause), cause);
    }

    // A reset, a swap and other lanes bring a new epoch, and a process that was taken for dead finds its lane moved once.
    internal override void Fenced(int lane, long epoch, string reason)
    {
        var isAgain = _fenced.TryGetValue(lane, out var before) && before.Epoch == epoch && clock.GetElapsedTime(before.At) < Memory;
        var count = isAgain ? before.Count + 1 : 1;
        _fenced[lane] = (epoch, count, clock.GetTimestamp());
        log.Fenced(version, lane, reason);
        if (count == ManyFences)
            log.FencedAgain(version, lane, reason);
    }

    internal override void Retrying(int lane, Exception cause) => availability.ReadModel.Failed((version, lane), cause);

    internal override void Recovered(int lane) => availability.ReadModel.Recovered((version, lane));

    internal override void RetryEnded(int lane) => availability.ReadModel.Forget((version, lane));

    internal override void ReadFailed(int shard, Exception cause) => availability.Journal[shard].Failed(version, cause);

    internal override void Readable(int shard) => availability.Journal[shard].Recovered(version);

    internal override void ReadsEnded(int shard) => availability.Journal[shard].Forget(version);

    internal override void ReadStopped(IReadOnlyList<int> lanes, Exception cause)
    {
        _logged.TryAdd(cause, cause);
        log.LanesStopped(version, string.Join(", ", lanes), ErrorText.Of(cause), cause);
    }

    internal override void Executed(int lane, CommandRow command, CommandState state, string result)
    {
        if (state == CommandState.Done)
            log.CommandDone(command.VerbText, version, command.Id, result);
        else
            log.CommandRefused(command.VerbText, version, command.Id, result);
    }
}
