using System.Collections.Concurrent;
using System.Runtime.CompilerServices;
using Microsoft.Extensions.Logging;
using Throttled.Journal;
using Throttled.Projections.Diagnostics;
using Throttled.Projections.Tables;

namespace Throttled.Projections.Lanes;

/// <summary>Reports the events of lanes to log and metrics.</summary>
internal abstract class LaneTelemetry
{
    /// <summary>A transaction was committed.</summary>
    internal abstract void Committed(int events, TimeSpan duration);

    /// <summary>An attempt at an event failed.</summary>
    internal abstract void Failed(int lane, JournalEvent stored, int attempt, int maxAttempts, Exception cause);

    /// <summary>A failed event was skipped.</summary>
    internal abstract void Skipped(int lane, JournalEvent stored, Exception? cause);

    /// <summary>The decoder skipped an event.</summary>
    internal abstract void PassedOver(JournalEvent stored);

    /// <summary>The handler did nothing with an event.</summary>
    internal abstract void Unhandled(ProjectionEvent handled);

    internal abstract void DeadLettered(int lane, DeadLetterRow deadLetter, Exception? cause);

    /// <summary>A lane stopped because of an error.</summary>
    internal abstract void Stopped(int lane, Exception cause);

    /// <summary>A lane found its stored state changed.</summary>
    internal abstract void Fenced(int lane, long epoch, string reason);

    /// <summary>A statement on the read model failed and is repeated.</summary>
    internal abstract void Retrying(int lane, Exception cause);

    /// <summary>The read model answers again.</summary>
    internal abstract void Recovered(int lane);

    /// <summary>The lane has stopped its statements, whether the read model answers or not.</summary>
    internal abstract void RetryEnded(int lane);

    /// <summary>A shard of the journal cannot be read.</summary>
    internal abstract void ReadFailed(int shard, Exception cause);

    /// <summary>The shard can be read again.</summary>
    internal abstract void Readable(int shard);

    /// <summary>Nothing is read of the shard any more.</summary>
    internal abstract void ReadsEnded(int shard);

    /// <summary>The journal cannot be read, and waiting does not cure that: the lanes of this read stop.</summary>
    internal abstract void ReadStopped(IReadOnlyList<int> lanes, Exception cause);

    internal abstract void Executed(int lane, CommandRow command, CommandState state, string result);
}

/// <summary>Reports the events of the lanes of one version to log and metrics. Thread-safe.</summary>
internal sealed class VersionTelemetry(string version, ILogger log, VersionMetrics metrics, ProjectionAvailability availability, TimeProvider clock) : LaneTelemetry
{
    private const int MaxKinds = 100;

    // Once: another process was faster. Twice: a command ended at the same time as the reconciliation that restarted the lane.
    private const int ManyFences = 3;

    // Older fences are unrelated to new ones. Commits prove nothing: two processes with one name both commit, in turns.
    private static readonly TimeSpan Memory = TimeSpan.FromHours(1);

    // Errors that were logged once for all lanes of a read, and are not logged for each lane.
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

    // Once for each kind of event. There are few kinds, unless manifests are made up.
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

    // A reset, a swap and a new layout bring a new epoch. A process that others took for dead finds its lane moved only once.
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
