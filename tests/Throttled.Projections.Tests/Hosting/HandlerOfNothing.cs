namespace Throttled.Projections.Tests.Hosting;

internal sealed class HandlerOfNothing : BatchHandler
{
    public override Task HandleAsync(ProjectionBatch batch, CancellationToken cancellationToken) => Task.CompletedTask;
}
