using Microsoft.Extensions.Logging;

namespace Throttled.Projections.Diagnostics;

/// <summary>
/// A database that several need and cannot use. It is reported once when the first of them fails, and once when all of them have recovered.
/// Thread-safe.
/// </summary>
/// <param name="clock">The clock.</param>
/// <param name="reportUnavailable">Reports that it is unavailable, and why.</param>
/// <param name="reportAvailable">Reports that it is available again, and how long it was not.</param>
internal sealed class DatabaseAvailability(TimeProvider clock, Action<string, Exception> reportUnavailable, Action<TimeSpan> reportAvailable)
{
    private readonly Lock _lock = new();
    private readonly HashSet<object> _failing = [];
    private string? _reason;
    private long _since;

    /// <summary>What the reason begins with, so that one is told from another; nothing where there is no other.</summary>
    internal string Prefix { get; init; } = "";

    /// <summary>Why it cannot be used, and for how long; null while it can.</summary>
    internal (string Reason, TimeSpan Lasts)? Unavailable
    {
        get
        {
            lock (_lock)
                return _reason is null ? null : (_reason, clock.GetElapsedTime(_since));
        }
    }

    /// <summary>One user failed because of it.</summary>
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

    /// <summary>It answers one user again.</summary>
    internal void Recovered(object who)
    {
        if (Forget(who) is { } lasted)
            reportAvailable(lasted);
    }

    /// <summary>One user needs it no more, whether it answers or not.</summary>
    /// <returns>How long it lasted, where that ends it.</returns>
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

/// <summary>The two databases of a projection, and whether this process can use them.</summary>
/// <param name="ReadModel">Used by the runner and by lanes.</param>
/// <param name="Journal">Used by what reads for a version; one for each shard that is read.</param>
internal sealed record ProjectionAvailability(DatabaseAvailability ReadModel, IReadOnlyList<DatabaseAvailability> Journal)
{
    /// <param name="options">The projection's.</param>
    /// <param name="log">Who is told.</param>
    /// <param name="shards">What messages of each shard begin with.</param>
    internal static ProjectionAvailability Of(ProjectionOptions options, ILogger log, params IReadOnlyList<string> shards) => new(
        new(
            options.TimeProvider,
            (reason, cause) => log.ReadModelUnavailable(options.Name, reason, cause),
            lasted => log.ReadModelAvailable(options.Name, lasted.TotalSeconds)),
        [.. shards.DefaultIfEmpty("").Select(shard => new DatabaseAvailability(
            options.TimeProvider,
            (reason, cause) => log.JournalUnavailable(options.Name, reason, cause),
            lasted => log.JournalAvailable(options.Name, shard, lasted.TotalSeconds))
        {
            Prefix = shard,
        })]);
}
