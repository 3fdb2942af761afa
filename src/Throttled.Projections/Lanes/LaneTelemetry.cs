using System.Collections.Concurrent;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using Microsoft.Extensions.Logging;
using Throttled.Projections.Diagnostics;
using Throttled.Projections.Tables;

namespace Throttled.Projections.Lanes;

/// <summary>Reports the events of the lanes of one version to log and metrics. Thread-safe.</summary>
internal sealed class LaneTelemetry(string version, ILogger log, VersionMetrics metrics, ProjectionAvailability availability, TimeProvider clock)
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

    internal Activity? StartBatch(int lane, int events) => metrics.StartBatch(lane, events);

    internal void Committed(int events, TimeSpan duration) => metrics.Committed(events, duration);

    internal void Failed(int lane, JournalEvent stored, int attempt, int maxAttempts, Exception cause)
    {
        metrics.Failed(cause);
        log.AttemptFailed(version, lane, stored, attempt, maxAttempts, cause);
    }

    internal void Skipped(int lane, JournalEvent stored, Exception? cause)
    {
        metrics.Skipped();
        log.Skipped(version, lane, stored, cause);
    }

    internal void PassedOver(JournalEvent stored)
    {
        metrics.PassedOver();
        if (IsNew($"manifest {stored.Manifest}"))
            log.DecoderPassesOver(version, stored.Manifest, stored);
    }

    internal void Unhandled(ProjectionEvent handled)
    {
        metrics.Unhandled();
        var type = handled.Payload.GetType().FullName ?? handled.Payload.GetType().Name;
        if (IsNew($"type {type}"))
            log.HandlerPassesOver(version, type, handled.Stored);
    }

    // Once for each kind of event. There are few kinds, unless manifests are made up.
    private bool IsNew(string kind) => _passedOver.Count < MaxKinds && _passedOver.TryAdd(kind, true);

    internal void DeadLettered(int lane, DeadLetter deadLetter, Exception? cause)
    {
        metrics.DeadLettered();
        if (deadLetter.Error is null)
            log.Queued(version, lane, deadLetter.Event);
        else
            log.DeadLettered(version, lane, deadLetter.Event, deadLetter.Attempts, cause);
    }

    internal void Stopped(int lane, Exception cause)
    {
        if (!_logged.TryGetValue(cause, out _))
            log.LaneStopped(version, lane, ErrorText.Of(cause), cause);
    }

    // A reset, a swap and a new layout bring a new epoch. A process that others took for dead finds its lane moved only once.
    internal void Fenced(int lane, long epoch, string reason)
    {
        var isAgain = _fenced.TryGetValue(lane, out var before) && before.Epoch == epoch && clock.GetElapsedTime(before.At) < Memory;
        var count = isAgain ? before.Count + 1 : 1;
        _fenced[lane] = (epoch, count, clock.GetTimestamp());
        log.Fenced(version, lane, reason);
        if (count == ManyFences)
            log.FencedAgain(version, lane, reason);
    }

    internal void Retrying(int lane, Exception cause) => availability.ReadModel.Failed((version, lane), cause);

    internal void Recovered(int lane) => availability.ReadModel.Recovered((version, lane));

    /// <summary>The lane has stopped its statements, whether the read model answers or not.</summary>
    internal void RetryEnded(int lane) => availability.ReadModel.Forget((version, lane));

    internal void ReadFailed(int shard, Exception cause) => availability.Journal[shard].Failed(version, cause);

    internal void Readable(int shard) => availability.Journal[shard].Recovered(version);

    internal void ReadsEnded(int shard) => availability.Journal[shard].Forget(version);

    internal void ReadStopped(IReadOnlyList<int> lanes, Exception cause)
    {
        _logged.TryAdd(cause, cause);
        log.LanesStopped(version, string.Join(", ", lanes), ErrorText.Of(cause), cause);
    }

    internal void Executed(CommandRow command, CommandOutcome outcome)
    {
        if (outcome.State == CommandState.Done)
            log.CommandDone(command.VerbText, version, command.Id, outcome.Result);
        else
            log.CommandRefused(command.VerbText, version, command.Id, outcome.Result);
    }
}

internal static class BatchActivity
{
    internal static void SetFailed(this Activity? activity, Exception cause) =>
        activity?.SetTag("error.type", cause.GetType().FullName).SetStatus(ActivityStatusCode.Error);
}
