using Microsoft.Extensions.Hosting;

namespace DigitalTwins.Nodes;

/// <summary>A host that handles no signals: the benchmark's command handles them.</summary>
internal sealed class NoLifetime : IHostLifetime
{
    public Task WaitForStartAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public Task StopAsync(CancellationToken cancellationToken) => Task.CompletedTask;
}
