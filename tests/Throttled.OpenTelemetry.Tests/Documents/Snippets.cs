using Microsoft.Extensions.DependencyInjection;

namespace Throttled.OpenTelemetry.Tests.Documents;

/// <summary>The code of the pages that needs OpenTelemetry.</summary>
internal static class Snippets
{
    internal static void Collect(IServiceCollection services)
    {
        services.AddOpenTelemetry()
            .WithMetrics(metrics => metrics.AddThrottledInstrumentation())
            .WithTracing(tracing => tracing.AddThrottledInstrumentation());
    }
}
