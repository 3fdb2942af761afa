using OpenTelemetry.Metrics;
using OpenTelemetry.Trace;

namespace Throttled.OpenTelemetry;

/// <summary>Adds the meters and activity sources of Throttled to OpenTelemetry.</summary>
public static class ThrottledInstrumentationExtensions
{
    private const string Journal = "Throttled.Journal";
    private const string Projections = "Throttled.Projections";
    private const string Cluster = "Throttled.Cluster";

    /// <summary>
    /// Collects the metrics of all journals, projections, budgets and feeds of this process: the meters <c>Throttled.Journal</c>,
    /// <c>Throttled.Projections</c> and <c>Throttled.Cluster</c>. A meter that is not used costs nothing.
    /// </summary>
    /// <param name="builder">The builder.</param>
    /// <returns>The builder.</returns>
    public static MeterProviderBuilder AddThrottledInstrumentation(this MeterProviderBuilder builder)
    {
        ArgumentNullException.ThrowIfNull(builder);
        return builder.AddMeter(Journal, Projections, Cluster);
    }

    /// <summary>
    /// Collects the activities of statements that read pages or new events, and of batches of projections: the sources <c>Throttled.Journal</c> and
    /// <c>Throttled.Projections</c>. Idle polls make no activities.
    /// </summary>
    /// <param name="builder">The builder.</param>
    /// <returns>The builder.</returns>
    public static TracerProviderBuilder AddThrottledInstrumentation(this TracerProviderBuilder builder)
    {
        ArgumentNullException.ThrowIfNull(builder);
        return builder.AddSource(Journal, Projections);
    }
}
