using Microsoft.Extensions.Logging;
using Throttled.Journal;
using Throttled.Journal.Sql;

namespace Throttled.Projections.Diagnostics;

/// <summary>All that projections say in the log.</summary>
internal static partial class ProjectionLog
{
    /// <summary>The category.</summary>
    internal const string Category = "Throttled.Projections";

    [LoggerMessage(1, LogLevel.Information, "Projection {Name}: runs here as {Member}; it reads {Source}.")]
    internal static partial void Started(this ILogger log, string name, string member, ProjectionSource source);

    [LoggerMessage(2, LogLevel.Information, "Projection {Name}: has stopped here.")]
    internal static partial void Stopped(this ILogger log, string name);

    [LoggerMessage(3, LogLevel.Error, "Projection {Name}: has ended in this process. {Reason}")]
    internal static partial void Ended(this ILogger log, string name, string reason);

    [LoggerMessage(4, LogLevel.Warning,
        "Projection {Name}: stopping was given up on after {Seconds:0} s ({What}). What was not finished is rolled back, and its claims end by themselves.")]
    internal static partial void StopGivenUp(this ILogger log, string name, double seconds, string what);

    [LoggerMessage(5, LogLevel.Warning,
        "Projection {Name}: stopping failed at {What} ({Reason}). What was not finished is rolled back, and its claims end by themselves.")]
    internal static partial void StopFailed(this ILogger log, string name, string what, string reason, Exception error);

    [LoggerMessage(6, LogLevel.Warning,
        "Projection {Name}: the read model cannot be used ({Reason}). Whatever needs it tries again until it can; lanes that it answers go on.")]
    internal static partial void ReadModelAway(this ILogger log, string name, string reason, Exception error);

    [LoggerMessage(7, LogLevel.Information, "Projection {Name}: the read model can be used again, after {Seconds:0} s.")]
    internal static partial void ReadModelBack(this ILogger log, string name, double seconds);

    [LoggerMessage(8, LogLevel.Error, "Projection {Name}: the journal cannot be read ({Reason}). It is tried again until it can.")]
    internal static partial void JournalAway(this ILogger log, string name, string reason, Exception error);

    [LoggerMessage(46, LogLevel.Information, "Projection {Name}: the journal's reader is closed ({Reason}). The projection waits until it is stopped.")]
    internal static partial void JournalClosed(this ILogger log, string name, string reason);

    [LoggerMessage(9, LogLevel.Information, "Projection {Name}: {Shard}the journal can be read again, after {Seconds:0} s.")]
    internal static partial void JournalBack(this ILogger log, string name, string shard, double seconds);

    [LoggerMessage(10, LogLevel.Information, "Projection {Name}: the read model {Target} is new, and begins with the journal.")]
    internal static partial void Created(this ILogger log, string name, string target);

    [LoggerMessage(11, LogLevel.Information,
        "Projection {Name}: the read model {Target} has {Lanes} now instead of {Before}; processes with other shards stop.")]
    internal static partial void LaidOut(this ILogger log, string name, string target, string lanes, string before);

    [LoggerMessage(12, LogLevel.Information, "Projection {Name}: the read model {Target} is paused.")]
    internal static partial void Paused(this ILogger log, string name, string target);

    [LoggerMessage(13, LogLevel.Information, "Projection {Name}: the read model {Target} is resumed.")]
    internal static partial void Resumed(this ILogger log, string name, string target);

    [LoggerMessage(14, LogLevel.Warning,
        "Projection {Name}: whenever this process looks after its lanes, the tables are not as it has read them ({Reason}). It is tried again until they are.")]
    internal static partial void Unsettled(this ILogger log, string name, string reason);

    [LoggerMessage(15, LogLevel.Error, "Projection {Name}: the read model cannot be made. {Reason} It is tried again until it can.")]
    internal static partial void HandlerFails(this ILogger log, string name, string reason, Exception error);

    [LoggerMessage(16, LogLevel.Warning,
        "Projection {Name}: 'Lanes' is {Configured} here, but the read model {Target} has {Lanes} lanes. This process runs with {Lanes}. To change the number, call ProjectionControl.SetLanesAsync; otherwise set 'Lanes' to {Lanes}.")]
    internal static partial void OtherLanes(this ILogger log, string name, string target, int configured, int lanes);

    [LoggerMessage(20, LogLevel.Information, "{Verb} of {Target} is done (command {Id}). {Result}")]
    internal static partial void CommandDone(this ILogger log, string verb, string target, long id, string result);

    [LoggerMessage(21, LogLevel.Warning, "{Verb} of {Target} is refused (command {Id}). {Reason}")]
    internal static partial void CommandRefused(this ILogger log, string verb, string target, long id, string reason);

    [LoggerMessage(22, LogLevel.Warning, "{Verb} of {Target} cannot be executed yet (command {Id}; {Reason}). It is tried again until it can.")]
    internal static partial void CommandFails(this ILogger log, string verb, string target, long id, string reason, Exception error);

    [LoggerMessage(30, LogLevel.Information, "Lane {Lane} of {Target}: runs here, slices {Slices}.")]
    internal static partial void Claimed(this ILogger log, string target, int lane, SliceRange slices);

    [LoggerMessage(31, LogLevel.Warning, "Lane {Lane} of {Target}: runs here now, slices {Slices}; the claim of {Before} has expired.")]
    internal static partial void TakenOver(this ILogger log, string target, int lane, SliceRange slices, string before);

    [LoggerMessage(32, LogLevel.Information, "Lane {Lane} of {Target}: was given back.")]
    internal static partial void Released(this ILogger log, string target, int lane);

    [LoggerMessage(33, LogLevel.Debug, "Lane {Lane} of {Target}: was changed by a command or by another process, and wrote nothing. {Reason}")]
    internal static partial void Fenced(this ILogger log, string target, int lane, string reason);

    [LoggerMessage(36, LogLevel.Warning,
        "Lane {Lane} of {Target}: another process changes it again and again, so that this one writes nothing ({Reason}). If two processes have the same 'Process', give each its own name. If rows were changed by hand, reset the projection.")]
    internal static partial void FencedAgain(this ILogger log, string target, int lane, string reason);

    [LoggerMessage(34, LogLevel.Error, "Lane {Lane} of {Target}: stands still until it is resumed. {Reason}.")]
    internal static partial void LaneStopped(this ILogger log, string target, int lane, string reason, Exception error);

    [LoggerMessage(35, LogLevel.Error, "Lanes {Lanes} of {Target}: stand still until they are resumed. {Reason}.")]
    internal static partial void LanesStopped(this ILogger log, string target, string lanes, string reason, Exception error);

    [LoggerMessage(40, LogLevel.Warning, "Lane {Lane} of {Target}: the event {Event} failed, attempt {Attempt} of {MaxAttempts}.")]
    internal static partial void AttemptFailed(
        this ILogger log, string target, int lane, JournalEvent @event, int attempt, int maxAttempts, Exception error);

    [LoggerMessage(41, LogLevel.Error, "Lane {Lane} of {Target}: the event {Event} was skipped after its last attempt.")]
    internal static partial void Skipped(this ILogger log, string target, int lane, JournalEvent @event, Exception? error);

    [LoggerMessage(42, LogLevel.Error,
        "Lane {Lane} of {Target}: the event {Event} failed at attempt {Attempts} and is a dead letter now; later events of its persistence id queue behind it until it is "
        + "retried or discarded.")]
    internal static partial void Parked(this ILogger log, string target, int lane, JournalEvent @event, int attempts, Exception? error);

    [LoggerMessage(43, LogLevel.Debug, "Lane {Lane} of {Target}: the event {Event} queues behind a dead letter.")]
    internal static partial void Queued(this ILogger log, string target, int lane, JournalEvent @event);

    [LoggerMessage(44, LogLevel.Information, "{Target}: the decoder passes over events with the manifest \"{Manifest}\". The first is {Event}; the others are not told of.")]
    internal static partial void DecoderPassesOver(this ILogger log, string target, string manifest, JournalEvent @event);

    [LoggerMessage(45, LogLevel.Warning,
        "{Target}: the handler does nothing with events of the type {Type}. The first is {Event}; the others are counted and not told of. "
        + "If the type is not the one that you expect, correct the 'Decoder'. Otherwise handle the type, or have the decoder return null for it.")]
    internal static partial void HandlerPassesOver(this ILogger log, string target, string type, JournalEvent @event);
}
