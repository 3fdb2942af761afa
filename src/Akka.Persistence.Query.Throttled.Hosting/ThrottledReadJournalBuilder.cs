using Akka.Hosting;
using Akka.Persistence.Query.Throttled.Hosting.Configuration;
using Akka.Persistence.Query.Throttled.Hosting.Health;
using Microsoft.Extensions.Diagnostics.HealthChecks;

namespace Akka.Persistence.Query.Throttled.Hosting;

/// <summary>Adds to a read journal what is no setting of it, as <c>AkkaPersistenceJournalBuilder</c> does to a write journal.</summary>
public sealed class ThrottledReadJournalBuilder
{
    private readonly AkkaConfigurationBuilder _builder;
    private readonly string _pluginId;

    internal ThrottledReadJournalBuilder(AkkaConfigurationBuilder builder, string pluginId) => (_builder, _pluginId) = (builder, pluginId);

    /// <summary>
    /// Adds a health check of the read journal to those that Akka.Hosting registers, for an application with <c>services.AddHealthChecks()</c>. It is that of
    /// <see cref="ThrottledHealthCheckExtensions.AddThrottledReadJournal"/>; one of the two calls is enough.
    /// </summary>
    /// <param name="unHealthyStatus">What is reported for a journal that cannot be read.</param>
    /// <param name="name">The name of the check; the read journal's id where null.</param>
    /// <param name="tags">The check's tags; <c>akka</c>, <c>persistence</c>, <c>throttled</c>, <c>readjournal</c> and <c>ready</c> where null.</param>
    /// <param name="timeout">How long the journal may take to answer: more than 0, or <see cref="Timeout.InfiniteTimeSpan"/>; 5 s where null.</param>
    /// <exception cref="ArgumentOutOfRangeException">The timeout is not above 0.</exception>
    /// <returns>This builder.</returns>
    public ThrottledReadJournalBuilder WithHealthCheck(
        HealthStatus unHealthyStatus = HealthStatus.Unhealthy, string? name = null, IEnumerable<string>? tags = null, TimeSpan? timeout = null)
    {
        _builder.WithHealthCheck(new AkkaHealthCheckRegistration(
            name ?? _pluginId, new ReadJournalHealthCheck(_pluginId, OptionsCheck.HealthTimeout(timeout)), unHealthyStatus, tags ?? ReadJournalHealthCheck.Tags));
        return this;
    }
}
