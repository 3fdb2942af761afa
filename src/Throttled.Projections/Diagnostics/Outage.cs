namespace Throttled.Projections.Diagnostics;

/// <summary>
/// A database that several need and cannot use. It is reported once when the first of them fails, and once when all of them have recovered.
/// Thread-safe.
/// </summary>
/// <param name="clock">The clock.</param>
/// <param name="begins">Reports that it is unavailable, and why.</param>
/// <param name="ends">Reports that it is available again, and how long it was not.</param>
internal sealed class Outage(TimeProvider clock, Action<string, Exception> begins, Action<TimeSpan> ends)
{
    private readonly Lock _lock = new();
    private readonly HashSet<object> _missing = [];
    private string? _reason;
    private long _since;

    /// <summary>What the reason begins with, so that one is told from another; nothing where there is no other.</summary>
    internal string Prefix { get; init; } = "";

    /// <summary>Why it cannot be used, and for how long; null while it can.</summary>
    internal (string Reason, TimeSpan Lasts)? Now
    {
        get
        {
            lock (_lock)
                return _reason is null ? null : (_reason, clock.GetElapsedTime(_since));
        }
    }

    /// <summary>One user failed because of it.</summary>
    internal void Misses(object who, Exception cause)
    {
        bool isFirst;
        var text = ErrorText.Of(cause);
        var reason = text.StartsWith(Prefix, StringComparison.Ordinal) ? text : Prefix + text;
        lock (_lock)
        {
            isFirst = _missing.Count == 0;
            _missing.Add(who);
            _since = isFirst ? clock.GetTimestamp() : _since;
            _reason = reason;
        }
        if (isFirst)
            begins(reason, cause);
    }

    /// <summary>It answers one user again.</summary>
    internal void Has(object who)
    {
        if (Left(who) is { } lasted)
            ends(lasted);
    }

    /// <summary>One user needs it no more, whether it answers or not.</summary>
    /// <returns>How long it lasted, where that ends it.</returns>
    internal TimeSpan? Left(object who)
    {
        lock (_lock)
        {
            if (!_missing.Remove(who) || _missing.Count > 0)
                return null;
            _reason = null;
            return clock.GetElapsedTime(_since);
        }
    }
}
