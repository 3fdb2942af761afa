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
    /// Adds a health check of a read journal of the application's actor system, which it opens where nobody has yet. It runs one statement.
    /// <list type="bullet">
    /// <item>Unhealthy, or <paramref name="failureStatus"/>: the journal cannot be read, because the database is away or refuses, its table is
    /// missing, a setting is wrong or the actor system has terminated; or it did not answer in time.</item>
    /// <item>Degraded: queries in journal order have been kept back for longer than <c>gap-timeout</c> by a transaction that may still commit
    /// before them; or a query has waited longer than <c>query-throttle-warning</c> for a permit.</item>
    /// <item>Healthy: otherwise.</item>
    /// </list>
    /// Of a journal of several shards, Unhealthy is one of which none can be read; where only some can, it is Degraded. The description says why. The entry's data have <c>journal</c>, and where it answered <c>permits</c>, <c>permits-held</c>, <c>longest-wait</c>
    /// and <c>head-kept-back-for</c>; of several shards <c>shards</c> too, and these for each behind <c>shard-0.</c>, or <c>shard-0.unreadable</c>.
    /// </summary>
    /// <param name="builder">The builder.</param>
    /// <param name="identifier">The last part of the read journal's id: <see cref="ThrottledReadJournalOptions.Identifier"/>.</param>
    /// <param name="name">The name of the check; the read journal's id where null.</param>
    /// <param name="failureStatus">What is reported in the place of Unhealthy; Unhealthy where null.</param>
    /// <param name="tags">The check's tags; <c>akka</c>, <c>persistence</c>, <c>throttled</c>, <c>readjournal</c> and <c>ready</c> where null.</param>
    /// <param name="timeout">
    /// How long the journal may take to answer: more than 0, or <see cref="Timeout.InfiniteTimeSpan"/>; 5 s where null.
    /// </param>
    /// <exception cref="ConfigurationException">The identifier cannot be one.</exception>
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
        OptionsCheck.Identifier(identifier);
        var limit = OptionsCheck.HealthTimeout(timeout);
        var pluginId = new ThrottledReadJournalOptions { Identifier = identifier }.PluginId;
        // The limit is the check's own: that of the registration would not say which journal did not answer.
        return builder.Add(new HealthCheckRegistration(
            name ?? pluginId, services => new ReadJournalHealthCheck(pluginId, limit, services), failureStatus, tags ?? ReadJournalHealthCheck.Tags));
    }
}
