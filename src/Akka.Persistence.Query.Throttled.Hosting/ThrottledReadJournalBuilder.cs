using Akka.Hosting;
using Akka.Persistence.Query.Throttled.Hosting.Configuration;
using Akka.Persistence.Query.Throttled.Hosting.Health;
using Microsoft.Extensions.Diagnostics.HealthChecks;

namespace Akka.Persistence.Query.Throttled.Hosting;

/// <summary>
/// Adds to a read journal what is not a setting, such as a health check. For a write journal,
/// <c>AkkaPersistenceJournalBuilder</c> does this.
/// </summary>
public sealed class ThrottledReadJournalBuilder
{
    internal ThrottledReadJournalBuilder(AkkaConfigurationBuilder builder, string pluginId) => (Builder, PluginId) = (builder, pluginId);

    internal AkkaConfigurationBuilder Builder { get; }

    internal string PluginId { get; }

    /// <summary>
    /// Adds a health check of the read journal to Akka.Hosting's health checks; the application calls
    /// <c>services.AddHealthChecks()</c>. It is the same check as
    /// <see cref="ThrottledHealthCheckExtensions.AddThrottledReadJournal"/>. Use one of the two.
    /// </summary>
    /// <param name="unHealthyStatus">The status to report if the journal cannot be read; Unhealthy by default.</param>
    /// <param name="name">The name of the check; the read journal's id by default.</param>
    /// <param name="tags">The check's tags; <c>akka</c>, <c>persistence</c>, <c>throttled</c>, <c>readjournal</c> and <c>ready</c> by default.</param>
    /// <param name="timeout">How long the journal may take to answer: more than 0, or <see cref="Timeout.InfiniteTimeSpan"/>; 5 s by default.</param>
    /// <exception cref="ArgumentOutOfRangeException">The timeout is not above 0.</exception>
    /// <returns>This builder.</returns>
    public ThrottledReadJournalBuilder WithHealthCheck(
        HealthStatus unHealthyStatus = HealthStatus.Unhealthy, string? name = null, IEnumerable<string>? tags = null, TimeSpan? timeout = null)
    {
        Builder.WithHealthCheck(new AkkaHealthCheckRegistration(
            name ?? PluginId, new ReadJournalHealthCheck(PluginId, OptionsValidation.HealthTimeout(timeout)), unHealthyStatus, tags ?? ReadJournalHealthCheck.Tags));
        return this;
    }
}
