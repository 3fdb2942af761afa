using Akka.Configuration;
using Akka.Persistence.Query.Throttled.Hosting.Configuration;
using Akka.Persistence.Query.Throttled.Hosting.Health;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;

namespace Akka.Persistence.Query.Throttled.Hosting;

/// <summary>Health checks of throttled read journals.</summary>
public static class ThrottledHealthCheckExtensions
{
    /// <summary>
    /// Adds a health check of a read journal in the application's actor system. The check opens the journal if it is not open yet,
    /// and runs one statement.
    /// <list type="bullet">
    /// <item>Unhealthy, or <paramref name="failureStatus"/>: the journal cannot be read, or it did not answer in time. The database is
    /// down or refuses the query, the table is missing, a setting is wrong, or the actor system has terminated.</item>
    /// <item>Degraded: a transaction that may still commit has stalled queries in journal order for longer than <c>gap-timeout</c>;
    /// or a query has waited longer than <c>query-throttle-warning</c> for a permit.</item>
    /// <item>Healthy: otherwise.</item>
    /// </list>
    /// A journal of several shards is Unhealthy if no shard can be read, and Degraded if only some can. The description says why.
    /// The entry's data have <c>journal</c>. If the journal answered, they also have <c>permits</c>, <c>permits-held</c>,
    /// <c>longest-permit-wait</c> and <c>high-water-mark-stalled-for</c>. With several shards they also have <c>shards</c>, and
    /// these values for each shard with the prefix <c>shard-0.</c>, or <c>shard-0.unreadable</c>.
    /// </summary>
    /// <param name="builder">The builder.</param>
    /// <param name="identifier">The last part of the read journal's id: <see cref="ThrottledReadJournalOptions.Identifier"/>.</param>
    /// <param name="name">The name of the check; the read journal's id by default.</param>
    /// <param name="failureStatus">The status to report instead of Unhealthy; null, the default, for Unhealthy.</param>
    /// <param name="tags">The check's tags; <c>akka</c>, <c>persistence</c>, <c>throttled</c>, <c>readjournal</c> and <c>ready</c> by default.</param>
    /// <param name="timeout">
    /// How long the journal may take to answer: more than 0, or <see cref="Timeout.InfiniteTimeSpan"/>; 5 s by default.
    /// </param>
    /// <exception cref="ConfigurationException">The identifier has characters that are not allowed.</exception>
    /// <exception cref="ArgumentOutOfRangeException">The timeout is not above 0.</exception>
    /// <returns>The builder.</returns>
    public static IHealthChecksBuilder AddThrottledReadJournal(
        this IHealthChecksBuilder builder,
        string identifier = "throttled",
        string? name = null,
        HealthStatus? failureStatus = null,
        IEnumerable<string>? tags = null,
        TimeSpan? timeout = null)
    {
        ArgumentNullException.ThrowIfNull(builder);
        OptionsValidation.Identifier(identifier);
        var limit = OptionsValidation.HealthTimeout(timeout);
        var pluginId = new ThrottledReadJournalOptions { Identifier = identifier }.PluginId;
        // The check has its own limit, because a timeout of the registration would not say which journal did not answer.
        return builder.Add(new HealthCheckRegistration(
            name ?? pluginId, services => new ReadJournalHealthCheck(pluginId, limit, services), failureStatus, tags ?? ReadJournalHealthCheck.Tags));
    }
}
