using Microsoft.Extensions.Logging;

namespace Throttled.Projections.Diagnostics;

/// <summary>The two databases of a projection, and whether this process can use them.</summary>
/// <param name="ReadModel">Missed by the runner, and by lanes.</param>
/// <param name="Journal">Missed by what reads for a target; one for each shard that is read.</param>
internal sealed record Outages(Outage ReadModel, IReadOnlyList<Outage> Journal)
{
    /// <param name="options">The projection's.</param>
    /// <param name="log">Who is told.</param>
    /// <param name="shards">What messages of each shard begin with.</param>
    internal static Outages Of(ProjectionOptions options, ILogger log, params IReadOnlyList<string> shards) => new(
        new(
            options.TimeProvider,
            (reason, cause) => log.ReadModelAway(options.Name, reason, cause),
            lasted => log.ReadModelBack(options.Name, lasted.TotalSeconds)),
        [.. shards.DefaultIfEmpty("").Select(shard => new Outage(
            options.TimeProvider,
            (reason, cause) => JournalAway(log, options.Name, reason, cause),
            lasted => log.JournalBack(options.Name, shard, lasted.TotalSeconds))
        {
            Prefix = shard,
        })]);

    // A reader that belongs to an actor system is closed with it, and the host may stop the projection later.
    private static void JournalAway(ILogger log, string name, string reason, Exception cause)
    {
        if (cause is ObjectDisposedException)
            log.JournalClosed(name, reason);
        else
            log.JournalAway(name, reason, cause);
    }
}
