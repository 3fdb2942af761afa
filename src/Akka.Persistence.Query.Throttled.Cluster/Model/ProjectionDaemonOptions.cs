using Akka.Configuration;

namespace Akka.Persistence.Query.Throttled.Cluster;

/// <summary>Where the lanes of a projection run in a cluster, and how they move.</summary>
public sealed record ProjectionDaemonOptions
{
    /// <summary>The role of the nodes that run lanes; all nodes by default.</summary>
    public string? Role { get; init; }

    /// <summary>
    /// How long a lane that moves to another node may take to finish its current batch and to release its lease. Above 0 and below
    /// <c>akka.cluster.sharded-daemon-process.sharding.handoff-timeout</c> (60 s); 8 s by default. A node that leaves drains its lanes in the phase
    /// <c>cluster-sharding-shutdown-region</c> of the coordinated shutdown, which takes 10 s at most by default.
    /// </summary>
    public TimeSpan DrainTimeout { get; init; } = TimeSpan.FromSeconds(8);

    /// <exception cref="ConfigurationException">An option is out of its range.</exception>
    internal void Validate(TimeSpan handoffTimeout)
    {
        if (DrainTimeout <= TimeSpan.Zero || DrainTimeout >= handoffTimeout)
        {
            throw new ConfigurationException(FormattableString.Invariant(
                $"'{nameof(DrainTimeout)}' is {DrainTimeout.TotalSeconds:0.###} s; it must be above 0 and below 'akka.cluster.sharded-daemon-process.sharding.handoff-timeout', which is {handoffTimeout.TotalSeconds:0.###} s. Lower the one, or raise the other."));
        }
        if (Role is { } role && string.IsNullOrWhiteSpace(role))
            throw new ConfigurationException($"'{nameof(Role)}' is \"{role}\"; it must be the name of a role. Leave it out to run lanes on all nodes.");
    }
}
