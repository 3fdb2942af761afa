using Microsoft.Extensions.Logging;

namespace Throttled.Projections.Diagnostics;

/// <summary>The two databases of a projection, and whether this process can use them.</summary>
/// <param name="ReadModel">Missed by the runner, and by lanes.</param>
/// <param name="Journal">Missed by what reads for a target.</param>
internal sealed record Outages(Outage ReadModel, Outage Journal)
{
    internal static Outages Of(ProjectionOptions options, ILogger log) => new(
        new(
            options.TimeProvider,
            cause => log.ReadModelAway(options.Name, cause.Message, cause),
            lasted => log.ReadModelBack(options.Name, lasted.TotalSeconds)),
        new(
            options.TimeProvider,
            cause => log.JournalAway(options.Name, cause.Message, cause),
            lasted => log.JournalBack(options.Name, lasted.TotalSeconds)));
}
