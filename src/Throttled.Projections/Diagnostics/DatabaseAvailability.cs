using Microsoft.Extensions.Logging;

namespace Throttled.Projections.Diagnostics;

/// <summary>A database that several users share. It is reported once when the first of them fails, and once when all have recovered. Thread-safe.</summary>
internal sealed class DatabaseAvailability(TimeProvider clock, Action<string, Exception> reportUnavailable, Action<TimeSpan> reportAvailable)
{
    private readonly Lock _lock = new();
    private readonly HashSet<object> _failing = [];
    private string? _reason;
    private long _since;

    internal string Prefix { get; init; } = "";

    /// <summary>Why the database cannot be used, and for how long; null if it can be used.</summary>
    internal (string Reason, TimeSpan Lasts)? Unavailable
    {
        get
        {
            lock (_lock)
                return _reason is null ? null : (_reason, clock.GetElapsedTime(_since));
        }
    }

    internal void Failed(object who, Exception cause)
    {
        bool isFirst;
        var text = ErrorText.Of(cause);
        var reason = text.StartsWith(Prefix, StringComparison.Ordinal) ? text : Prefix + text;
        lock (_lock)
        {
            isFirst = _failing.Count == 0;
            _failing.Add(who);
            _since = isFirst ? clock.GetTimestamp() : _since;
            _reason = reason;
        }
        if (isFirst)
            reportUnavailable(reason, cause);
    }

    internal void Recovered(object who)
    {
        if (Forget(who) is { } lasted)
            reportAvailable(lasted);
    }

    /// <summary>A user no longer needs the database. Returns how long it was unavailable if this was the last failing user.</summary>
    internal TimeSpan? Forget(object who)
    {
        lock (_lock)
        {
            if (!_failing.Remove(who) || _failing.Count > 0)
                return null;
            _reason = null;
            return clock.GetElapsedTime(_since);
        }
    }
}

internal sealed record ProjectionAvailability(DatabaseAvailability ReadModel, IReadOnlyList<DatabaseAvailability> Journal)
{
    internal static ProjectionAvailability Of(ProjectionOptions options, string readModel, ILogger log, params IReadOnlyList<string> shards) => new(
        new(
            options.TimeProvider,
            (reason, cause) => log.ReadModelUnavailable(options.Name, readModel, reason, cause),
            lasted => log.ReadModelAvailable(options.Name, lasted.TotalSeconds)),
        [.. shards.DefaultIfEmpty("").Select(shard => new DatabaseAvailability(
            options.TimeProvider,
            (reason, cause) => ReportUnavailable(log, options.Name, reason, cause),
            lasted => log.JournalAvailable(options.Name, shard, lasted.TotalSeconds))
        {
            Prefix = shard,
        })]);

    // A reader that belongs to an actor system is closed with it, and the host may stop the projection later.
    private static void ReportUnavailable(ILogger log, string name, string reason, Exception cause)
    {
        if (cause is ObjectDisposedException)
            log.JournalClosed(name, reason);
        else
            log.JournalUnavailable(name, reason, cause);
    }
}
