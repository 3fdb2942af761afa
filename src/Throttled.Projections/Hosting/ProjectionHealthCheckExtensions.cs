using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Throttled.Projections.Hosting;

namespace Throttled.Projections;

/// <summary>Health checks of projections.</summary>
public static class ProjectionHealthCheckExtensions
{
    private static readonly string[] DefaultTags = ["throttled", "projection"];

    /// <summary>
    /// Adds a health check of a projection that the host runs. It queries no database: it reports the state of this process.
    /// <list type="bullet">
    /// <item>Unhealthy, or <paramref name="failureStatus"/>: the projection has ended; or a lane of this process has stopped at an event, or because of an
    /// error that waiting does not cure; or its read model or journal is unavailable for longer than <see cref="ProjectionOptions.LeaseDuration"/>; or it
    /// is behind at the same offset for longer than <see cref="ProjectionHealthLimits.MaxSameLag"/>.</item>
    /// <item>Degraded: it has not started, repeats something that failed, is paused, has more dead letters than
    /// <see cref="ProjectionHealthLimits.MaxDeadLetters"/>, or is further behind than <paramref name="limits"/> allow.</item>
    /// <item>Healthy: otherwise.</item>
    /// </list>
    /// The description says why. The entry's data are those of the live read model: <c>offset</c>, <c>journal-end</c>, <c>lag</c> (the number of orderings
    /// between them), <c>lag-time</c>, <c>same-lag-for</c>, <c>lanes</c> that run in this process, and <c>dead-letters</c> of these lanes.
    /// </summary>
    /// <param name="builder">The builder.</param>
    /// <param name="name">The projection's name.</param>
    /// <param name="checkName">The name of the check. Null means <c>projection:</c> followed by the projection's name.</param>
    /// <param name="failureStatus">The status that is reported instead of Unhealthy. Null means Unhealthy.</param>
    /// <param name="tags">
    /// The check's tags. Null means <c>throttled</c> and <c>projection</c>. Readiness endpoints usually select checks by the tag <c>ready</c>. Add it only if
    /// no process may serve requests while a lane is stopped. No check of Throttled has the tag <c>live</c>: a restart cures none of these states.
    /// </param>
    /// <param name="limits">When a lag or dead letters are reported. Null means: any dead letter is reported, but no lag.</param>
    /// <exception cref="ArgumentException">The name is empty, or a limit is not valid.</exception>
    public static IHealthChecksBuilder AddProjection(
        this IHealthChecksBuilder builder,
        string name,
        string? checkName = null,
        HealthStatus? failureStatus = null,
        IEnumerable<string>? tags = null,
        ProjectionHealthLimits? limits = null)
    {
        ArgumentNullException.ThrowIfNull(builder);
        ArgumentException.ThrowIfNullOrEmpty(name);
        var validated = (limits ?? new()).Validated();
        return builder.Add(new HealthCheckRegistration(
            checkName ?? $"projection:{name}", services => new ProjectionHealthCheck(services, name, validated), failureStatus, tags ?? DefaultTags));
    }
}
