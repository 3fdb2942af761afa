using Microsoft.Extensions.Logging;

namespace Throttled.Projections.Diagnostics;

internal static partial class ProjectionLog
{
    internal const string Category = "Throttled.Projections";

    [LoggerMessage(101, LogLevel.Information, "Projection {Name}: runs here as {Process}; it reads {Source}.")]
    internal static partial void Started(this ILogger log, string name, string process, ProjectionSource source);

    [LoggerMessage(102, LogLevel.Information, "Projection {Name}: has stopped here.")]
    internal static partial void Stopped(this ILogger log, string name);

    [LoggerMessage(103, LogLevel.Error, "Projection {Name}: has ended in this process. {Reason}")]
    internal static partial void Ended(this ILogger log, string name, string reason);

    [LoggerMessage(104, LogLevel.Warning,
        "Projection {Name}: stopping timed out after {Seconds:0} s ({What}). Unfinished work is rolled back; other processes take the lanes when the leases expire.")]
    internal static partial void StopTimedOut(this ILogger log, string name, double seconds, string what);

    [LoggerMessage(105, LogLevel.Warning,
        "Projection {Name}: stopping failed at {What} ({Reason}). Unfinished work is rolled back; other processes take the lanes when the leases expire.")]
    internal static partial void StopFailed(this ILogger log, string name, string what, string reason, Exception error);

    [LoggerMessage(106, LogLevel.Warning,
        "Projection {Name}: the read model database {Database} is unavailable ({Reason}). Check that it runs, its address, and the rights of its user. Statements are repeated until it answers; lanes whose statements succeed continue.")]
    internal static partial void ReadModelUnavailable(this ILogger log, string name, string database, string reason, Exception error);

    [LoggerMessage(107, LogLevel.Information, "Projection {Name}: the read model database is available again after {Seconds:0} s.")]
    internal static partial void ReadModelAvailable(this ILogger log, string name, double seconds);

    [LoggerMessage(108, LogLevel.Warning,
        "Projection {Name}: the journal cannot be read ({Reason}). If a table is missing, start the write plugin with 'auto-initialize = on', or correct the table names of the reader. The read is repeated until it succeeds.")]
    internal static partial void JournalUnavailable(this ILogger log, string name, string reason, Exception error);

    [LoggerMessage(146, LogLevel.Information, "Projection {Name}: the journal's reader is closed ({Reason}). The projection waits until it is stopped.")]
    internal static partial void JournalClosed(this ILogger log, string name, string reason);

    [LoggerMessage(109, LogLevel.Information, "Projection {Name}: {Shard}the journal is available again after {Seconds:0} s.")]
    internal static partial void JournalAvailable(this ILogger log, string name, string shard, double seconds);

    [LoggerMessage(110, LogLevel.Information, "Projection {Name}: the read model {Version} is new and begins {Start}.")]
    internal static partial void Created(this ILogger log, string name, string version, string start);

    [LoggerMessage(111, LogLevel.Information,
        "Projection {Name}: the read model {Version} has {Lanes} now instead of {Before}; processes with other shards stop.")]
    internal static partial void LaidOut(this ILogger log, string name, string version, string lanes, string before);

    [LoggerMessage(112, LogLevel.Information, "Projection {Name}: the read model {Version} is paused.")]
    internal static partial void Paused(this ILogger log, string name, string version);

    [LoggerMessage(113, LogLevel.Information, "Projection {Name}: the read model {Version} is resumed.")]
    internal static partial void Resumed(this ILogger log, string name, string version);

    [LoggerMessage(114, LogLevel.Warning,
        "Projection {Name}: the tables change each time this process reconciles its lanes ({Reason}). It tries again; if this lasts, check whether rows were changed by hand.")]
    internal static partial void Unsettled(this ILogger log, string name, string reason);

    [LoggerMessage(115, LogLevel.Error, "Projection {Name}: the read model cannot be created. {Reason} The call is repeated until it succeeds.")]
    internal static partial void HandlerFails(this ILogger log, string name, string reason, Exception error);

    [LoggerMessage(116, LogLevel.Warning,
        "Projection {Name}: 'Lanes' is {Configured} here, but the read model {Version} has {Lanes} lanes. This process runs with {Lanes}. To change the number, call ProjectionControl.SetLanesAsync; otherwise set 'Lanes' to {Lanes}.")]
    internal static partial void OtherLanes(this ILogger log, string name, string version, int configured, int lanes);

    [LoggerMessage(117, LogLevel.Warning,
        "Projection {Name}: the database {Database} of the read model has no row versions (READ_COMMITTED_SNAPSHOT and ALLOW_SNAPSHOT_ISOLATION are off). So reads of the status wait for running batches, and batches wait for reads. "
        + "Run ALTER DATABASE {Database} SET ALLOW_SNAPSHOT_ISOLATION ON, and ALTER DATABASE {Database} SET READ_COMMITTED_SNAPSHOT ON WITH ROLLBACK IMMEDIATE, which ends all transactions that run in it.")]
    internal static partial void ReadsWait(this ILogger log, string name, string database);

    [LoggerMessage(120, LogLevel.Information, "{Verb} of {Version} is done (command {Id}). {Result}")]
    internal static partial void CommandDone(this ILogger log, string verb, string version, long id, string result);

    [LoggerMessage(121, LogLevel.Warning, "{Verb} of {Version} is refused (command {Id}). {Reason}")]
    internal static partial void CommandRefused(this ILogger log, string verb, string version, long id, string reason);

    [LoggerMessage(122, LogLevel.Warning, "{Verb} of {Version} cannot be executed yet (command {Id}; {Reason}). It is repeated until it succeeds.")]
    internal static partial void CommandFails(this ILogger log, string verb, string version, long id, string reason, Exception error);

    [LoggerMessage(130, LogLevel.Information, "Lane {Lane} of {Version}: runs here, slices {Slices}.")]
    internal static partial void Claimed(this ILogger log, string version, int lane, SliceRange slices);

    [LoggerMessage(131, LogLevel.Warning, "Lane {Lane} of {Version}: runs here now, slices {Slices}; the claim of {Before} has expired.")]
    internal static partial void TakenOver(this ILogger log, string version, int lane, SliceRange slices, string before);

    [LoggerMessage(132, LogLevel.Information, "Lane {Lane} of {Version}: was released.")]
    internal static partial void Released(this ILogger log, string version, int lane);

    [LoggerMessage(133, LogLevel.Debug, "Lane {Lane} of {Version}: was changed by a command or by another process, and wrote nothing. {Reason}")]
    internal static partial void Fenced(this ILogger log, string version, int lane, string reason);

    [LoggerMessage(136, LogLevel.Warning,
        "Lane {Lane} of {Version}: another process changes it again and again, so this one writes nothing ({Reason}). If two processes have the same 'ProcessName', give each its own. If rows were changed by hand, reset the projection.")]
    internal static partial void FencedAgain(this ILogger log, string version, int lane, string reason);

    [LoggerMessage(134, LogLevel.Error, "Lane {Lane} of {Version}: is stopped. {Reason}. Correct the cause, then run 'throttled projections resume' or call ResumeAsync.")]
    internal static partial void LaneStopped(this ILogger log, string version, int lane, string reason, Exception error);

    [LoggerMessage(135, LogLevel.Error, "Lanes {Lanes} of {Version}: are stopped. {Reason}. Correct the cause, then run 'throttled projections resume' or call ResumeAsync.")]
    internal static partial void LanesStopped(this ILogger log, string version, string lanes, string reason, Exception error);

    [LoggerMessage(140, LogLevel.Warning, "Lane {Lane} of {Version}: the event {Event} failed, attempt {Attempt} of {MaxAttempts}.")]
    internal static partial void AttemptFailed(
        this ILogger log, string version, int lane, JournalEvent @event, int attempt, int maxAttempts, Exception error);

    [LoggerMessage(141, LogLevel.Error, "Lane {Lane} of {Version}: the event {Event} was skipped after its last attempt.")]
    internal static partial void Skipped(this ILogger log, string version, int lane, JournalEvent @event, Exception? error);

    [LoggerMessage(142, LogLevel.Error,
        "Lane {Lane} of {Version}: the event {Event} failed at attempt {Attempts} and is a dead letter now; later events of its persistence id queue behind it until it is "
        + "retried or discarded.")]
    internal static partial void DeadLettered(this ILogger log, string version, int lane, JournalEvent @event, int attempts, Exception? error);

    [LoggerMessage(143, LogLevel.Debug, "Lane {Lane} of {Version}: the event {Event} queues behind a dead letter.")]
    internal static partial void Queued(this ILogger log, string version, int lane, JournalEvent @event);

    [LoggerMessage(144, LogLevel.Information, "{Version}: the decoder passes over events with the manifest \"{Manifest}\". The first is {Event}; others are not logged.")]
    internal static partial void DecoderPassesOver(this ILogger log, string version, string manifest, JournalEvent @event);

    [LoggerMessage(145, LogLevel.Warning,
        "{Version}: the handler does nothing with events of the type {Type}. The first is {Event}; others are counted and not logged. "
        + "If the type is not the one that you expect, correct the 'Decoder'. Otherwise handle the type, or have the decoder return null for it.")]
    internal static partial void HandlerPassesOver(this ILogger log, string version, string type, JournalEvent @event);
}

internal static class ErrorText
{
    /// <summary>The message on one line and without its final dot, because drivers write several lines.</summary>
    internal static string Of(Exception error) => string.Join(
        ' ', error.Message.Split(['\r', '\n'], StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries)).TrimEnd('.');
}
