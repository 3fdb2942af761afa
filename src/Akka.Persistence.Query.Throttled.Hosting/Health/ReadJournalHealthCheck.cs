using Akka.Actor;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Throttled.Journal.Diagnostics;

namespace Akka.Persistence.Query.Throttled.Hosting.Health;

/// <summary>Looks at one read journal of the application's actor system, and gives up in time.</summary>
/// <param name="services">Where the actor system is.</param>
/// <param name="pluginId">The id of the read journal.</param>
/// <param name="limit">How long it may take.</param>
internal sealed class ReadJournalHealthCheck(IServiceProvider services, string pluginId, TimeSpan limit) : IHealthCheck
{
    public async Task<HealthCheckResult> CheckHealthAsync(HealthCheckContext context, CancellationToken cancellationToken = default)
    {
        var failure = context.Registration.FailureStatus;
        using var given = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        try
        {
            // Beside this thread: opening waits for whoever opens another read journal, and those of others may take long.
            return await Task.Run(() => LookAsync(failure, given.Token), given.Token).WaitAsync(limit, cancellationToken).ConfigureAwait(false);
        }
        catch (TimeoutException)
        {
            return Failed(failure, $"The journal '{pluginId}' did not answer within {DurationText.Of(limit)}.");
        }
        catch (Exception error) when (error is not OperationCanceledException || !cancellationToken.IsCancellationRequested)
        {
            return Failed(failure, $"The journal '{pluginId}' cannot be read: {error.Message}", error);
        }
        finally
        {
            await given.CancelAsync().ConfigureAwait(false);
        }
    }

    private async Task<HealthCheckResult> LookAsync(HealthStatus failure, CancellationToken cancellation)
    {
        var system = services.GetRequiredService<ActorSystem>();
        if (system.WhenTerminated.IsCompleted)
            return Failed(failure, $"The journal '{pluginId}' is closed: the actor system '{system.Name}' has terminated.");
        var engine = system.ReadJournalFor<ThrottledReadJournal>(pluginId).Engine;
        var health = await engine.LookAsync(cancellation).ConfigureAwait(false);
        return new HealthVerdict(pluginId, engine.Options, failure).Of(health);
    }

    private HealthCheckResult Failed(HealthStatus failure, string why, Exception? error = null) =>
        new(failure, why, error, new Dictionary<string, object> { ["journal"] = pluginId });
}
