namespace Throttled.Projections;

/// <summary>
/// When the health check of a projection reports that it is behind, or has dead letters. A limit that is null is not checked. While a projection is
/// paused or cannot reach a database, its lag is not reported.
/// </summary>
public sealed record ProjectionHealthLimits
{
    /// <summary>Degraded if more events than this are between the offset and the journal end. 0 or more; null, the default, for no limit.</summary>
    public long? MaxLagEvents { get; init; }

    /// <summary>
    /// Degraded if the projection has been behind for longer than this: since the journal end first passed the offset, as this process saw it. From 1 s to
    /// 365 days; null, the default, for no limit.
    /// </summary>
    public TimeSpan? MaxLag { get; init; }

    /// <summary>
    /// Unhealthy if the projection is behind and its offset has not moved for longer than this. From 1 s to 365 days; null, the default, for no
    /// limit. Choose more than your handler's longest batch takes.
    /// </summary>
    public TimeSpan? MaxSameLag { get; init; }

    /// <summary>Degraded if there are more dead letters than this. 0 or more; 0 by default, so the first dead letter is reported.</summary>
    public int MaxDeadLetters { get; init; }
}

internal static class ProjectionHealthLimitsValidation
{
    private static readonly TimeSpan Least = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan Most = TimeSpan.FromDays(365);
    private static readonly OptionCheck Check = new(name => name);

    internal static ProjectionHealthLimits Validated(this ProjectionHealthLimits limits)
    {
        if (limits.MaxLagEvents is { } events)
            Check.Between(nameof(limits.MaxLagEvents), events, 0, long.MaxValue);
        if (limits.MaxLag is { } lag)
            Check.Between(nameof(limits.MaxLag), lag, Least, Most);
        if (limits.MaxSameLag is { } same)
            Check.Between(nameof(limits.MaxSameLag), same, Least, Most);
        Check.Between(nameof(limits.MaxDeadLetters), limits.MaxDeadLetters, 0, int.MaxValue);
        return limits;
    }
}
