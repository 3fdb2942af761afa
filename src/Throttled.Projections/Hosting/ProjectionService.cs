using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;

namespace Throttled.Projections.Hosting;

/// <summary>Runs one projection as long as the host runs. A projection that ends by itself does not stop the host: the log and the health check report it.</summary>
internal sealed class ProjectionService(IServiceProvider services, string name) : IHostedService
{
    private Projection? _projection;

    public Task StartAsync(CancellationToken cancellationToken)
    {
        // Created only now: a wrong configuration must stop the start of the host with its own error.
        _projection = services.GetRequiredKeyedService<Projection>(name);
        _projection.Start();
        return Task.CompletedTask;
    }

    public Task StopAsync(CancellationToken cancellationToken) => _projection?.StopAsync(cancellationToken) ?? Task.CompletedTask;
}
