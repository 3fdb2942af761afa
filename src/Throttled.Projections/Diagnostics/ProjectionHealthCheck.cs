using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;

namespace Throttled.Projections.Diagnostics;

/// <summary>Looks at one projection of the host. It asks no database, and so answers at once.</summary>
/// <param name="services">Where the projection is.</param>
/// <param name="name">The projection's name.</param>
internal sealed class ProjectionHealthCheck(IServiceProvider services, string name) : IHealthCheck
{
    public Task<HealthCheckResult> CheckHealthAsync(HealthCheckContext context, CancellationToken cancellationToken = default) =>
        Task.FromResult(Look(context.Registration.FailureStatus));

    private HealthCheckResult Look(HealthStatus failure)
    {
        try
        {
            return services.GetKeyedService<Projection>(name) is { } projection
                ? new HealthVerdict(name, failure).Of(projection.Health)
                : new(failure, $"There is no projection '{name}'. Add it by 'AddProjection', or correct the name of the health check.");
        }
        catch (Exception error)
        {
            return new(failure, $"The projection '{name}' cannot be made: {error.Message}", error);
        }
    }
}
