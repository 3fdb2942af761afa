using System.Collections.Concurrent;
using System.Runtime.CompilerServices;
using Microsoft.Extensions.Logging;
using Throttled.Journal;
using Throttled.Projections.Failures;
using Throttled.Projections.Lanes;
using Throttled.Projections.Store;

namespace Throttled.Projections.Diagnostics;

/// <summary>Reports what happens to the lanes of one version, to log and metrics. Thread-safe.</summary>
internal sealed class TargetNews(string target, ILogger log, TargetMetrics metrics, Outages outages, TimeProvider clock) : LaneNews
{
    private const int MostKinds = 100;

    // Once, another was quicker; twice, where a command ended beside the round that started the lane again.
    private const int ManyFences = 3;

    // What was so long ago has nothing to do with what is now. Commits do not tell: of two processes with one name, each commits until the other has.
    private static readonly TimeSpan Memory = TimeSpan.FromHours(1);

    // What was logged for all lanes of a read, and need not be logged for each; by the exception.
    private readonly ConditionalWeakTable<Exception, object> _said = [];
    private readonly ConcurrentDictionary<int, (long Epoch, int Count, long At)> _fenced = [];
    private readonly ConcurrentDictionary<string, bool> _passedOver = new(StringComparer.Ordinal);

    internal override void Committed(int events, TimeSpan duration) => metrics.Committed(events, duration);

    internal override void Failed(int lane, JournalEvent stored, int attempt, int maxAttempts, Exception cause)
    {
        metrics.Failed();
        log.AttemptFailed(target, lane, stored, attempt, maxAttempts, cause);
    }

    internal override void Skipped(int lane, JournalEvent stored, Exception? cause)
    {
        metrics.Skipped();
        log.Skipped(target, lane, stored, cause);
    }

    internal override void PassedOver(JournalEvent stored)
    {
        metrics.PassedOver();
        if (IsNew($"manifest {stored.Manifest}"))
            log.DecoderPassesOver(target, stored.Manifest, stored);
    }

    internal override void Unhandled(ProjectionEvent handled)
    {
        metrics.Unhandled();
        var type = handled.Payload.GetType().FullName ?? handled.Payload.GetType().Name;
        if (IsNew($"type {type}"))
            log.HandlerPassesOver(target, type, handled.Stored);
    }

    // Once for each kind of event: there are not many, unless manifests are made up.
    private bool IsNew(string kind) => _passedOver.Count < MostKinds && _passedOver.TryAdd(kind, true);

    internal override void Parked(int lane, DeadLetterRow letter, Exception? cause)
    {
        metrics.Parked();
        if (letter.Error is null)
            log.Queued(target, lane, letter.Stored);
        else
            log.Parked(target, lane, letter.Stored, letter.Attempts, cause);
    }

    internal override void Stopped(int lane, Exception cause)
    {
        if (!_said.TryGetValue(cause, out _))
            log.LaneStopped(target, lane, ErrorText.Of(cause), cause);
    }

    // A reset, a swap and other lanes bring a new epoch, and a process that was taken for dead finds its lane moved once.
    internal override void Fenced(int lane, long epoch, string reason)
    {
        var isAgain = _fenced.TryGetValue(lane, out var before) && before.Epoch == epoch && clock.GetElapsedTime(before.At) < Memory;
        var count = isAgain ? before.Count + 1 : 1;
        _fenced[lane] = (epoch, count, clock.GetTimestamp());
        log.Fenced(target, lane, reason);
        if (count == ManyFences)
            log.FencedAgain(target, lane, reason);
    }

    internal override void Retrying(int lane, Exception cause) => outages.ReadModel.Misses((target, lane), cause);

    internal override void Recovered(int lane) => outages.ReadModel.Has((target, lane));

    internal override void GaveUp(int lane) => outages.ReadModel.Left((target, lane));

    internal override void ReadFailed(int shard, Exception cause) => outages.Journal[shard].Misses(target, cause);

    internal override void ReadWorks(int shard) => outages.Journal[shard].Has(target);

    internal override void ReadsEnded(int shard) => outages.Journal[shard].Left(target);

    internal override void ReadStopped(IReadOnlyList<int> lanes, Exception cause)
    {
        _said.TryAdd(cause, cause);
        log.LanesStopped(target, string.Join(", ", lanes), ErrorText.Of(cause), cause);
    }

    internal override void Executed(int lane, CommandRow command, CommandState state, string result)
    {
        if (state == CommandState.Done)
            log.CommandDone(command.VerbText, target, command.Id, result);
        else
            log.CommandRefused(command.VerbText, target, command.Id, result);
    }
}
