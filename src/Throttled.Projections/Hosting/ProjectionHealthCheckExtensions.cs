using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Throttled.Projections.Hosting;

namespace Throttled.Projections;

/// <summary>Health checks of projections.</summary>
public static class ProjectionHealthCheckExtensions
{
    private static readonly string[] DefaultTags = ["throttled", "projection"];

    /// <summary>
    /// Adds a health check of a projection that the host runs. It asks no database: it reports what the projection knows by itself.
    /// <list type="bullet">
    /// <item>Unhealthy, or <paramref name="failureStatus"/>: the projection has ended; a lane of this process stands still at an event, or at something
    /// that waiting does not cure; or its read model or journal has been unavailable for longer than <see cref="ProjectionOptions.LeaseDuration"/>.</item>
    /// <item>Degraded: it has not started, tries something again, is paused, or keeps dead letters.</item>
    /// <item>Healthy: otherwise.</item>
    /// </list>
    /// The description says why. The entry's data have, of the live read model, <c>offset</c>, <c>journal-end</c>, <c>lag</c> (the orderings between),
    /// <c>lanes</c> that run in this process, and <c>dead-letters</c> of these.
    /// </summary>
    /// <param name="builder">The builder.</param>
    /// <param name="name">The projection's name.</param>
    /// <param name="checkName">The name of the check; <c>projection:</c> and the projection's name where null.</param>
    /// <param name="failureStatus">What is reported in the place of Unhealthy; Unhealthy where null.</param>
    /// <param name="tags">The check's tags; <c>throttled</c> and <c>projection</c> where null.</param>
    /// <exception cref="ArgumentException">The name is empty.</exception>
    /// <returns>The builder.</returns>
    public static IHealthChecksBuilder AddProjection(
        this IHealthChecksBuilder builder,
        string name,
        string? checkName = null,
        HealthStatus? failureStatus = null,
        IEnumerable<string>? tags = null)
    {
        ArgumentNullException.ThrowIfNull(builder);
        ArgumentException.ThrowIfNullOrEmpty(name);
        return builder.Add(new HealthCheckRegistration(
            checkName ?? $"projection:{name}", services => new ProjectionHealthCheck(services, name), failureStatus, tags ?? DefaultTags));
    }
}
