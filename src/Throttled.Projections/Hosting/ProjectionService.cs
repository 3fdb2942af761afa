using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;

namespace Throttled.Projections.Hosting;

/// <summary>
/// Runs one projection as long as the host runs. One that ends by itself leaves the host as it is: the log and the health check report it.
/// </summary>
/// <param name="services">Where the projection is.</param>
/// <param name="name">The projection's name.</param>
internal sealed class ProjectionService(IServiceProvider services, string name) : IHostedService
{
    private Projection? _projection;

    public Task StartAsync(CancellationToken cancellationToken)
    {
        // Not before: what it is made of may be wrong, and that is to keep the host from starting with an error of its own.
        _projection = services.GetRequiredKeyedService<Projection>(name);
        _projection.Start();
        return Task.CompletedTask;
    }

    public Task StopAsync(CancellationToken cancellationToken) => _projection?.StopAsync(cancellationToken) ?? Task.CompletedTask;
}
