using System.Diagnostics;
using Akka.Actor;
using Akka.Hosting;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Throttled.Journal;

namespace Akka.Persistence.Query.Throttled.Hosting.Health;

/// <summary>Checks one read journal of the application's actor system, within a time limit.</summary>
/// <param name="pluginId">The id of the read journal.</param>
/// <param name="limit">The time limit.</param>
/// <param name="services">Has the actor system; null if Akka.Hosting passes it.</param>
internal sealed class ReadJournalHealthCheck(string pluginId, TimeSpan limit, IServiceProvider? services = null) : IHealthCheck, IAkkaHealthCheck
{
    /// <summary>The default tags. A readiness endpoint selects checks by the last one.</summary>
    internal static IReadOnlyList<string> Tags { get; } = ["akka", "persistence", "throttled", "readjournal", "ready"];

    public Task<HealthCheckResult> CheckHealthAsync(HealthCheckContext context, CancellationToken cancellationToken = default) =>
        CheckAsync(() => services!.GetRequiredService<ActorSystem>(), context.Registration.FailureStatus, cancellationToken);

    public Task<HealthCheckResult> CheckHealthAsync(AkkaHealthCheckContext context, CancellationToken cancellationToken = default) =>
        CheckAsync(() => context.ActorSystem, context.Registration.FailureStatus, cancellationToken);

    private async Task<HealthCheckResult> CheckAsync(Func<ActorSystem> system, HealthStatus failure, CancellationToken cancellationToken)
    {
        using var given = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        var start = Stopwatch.GetTimestamp();
        try
        {
            // On another thread, because opening waits while another read journal opens, and some other plugins' journals open slowly.
            var engines = await Task.Run(() => Open(system()), given.Token).WaitAsync(limit, cancellationToken).ConfigureAwait(false);
            return engines switch
            {
                [] => Failed(failure, $"The journal '{pluginId}' is closed: the actor system '{system().Name}' has terminated."),
                [var only] => new JournalHealthReport(pluginId, only.Options, failure).Of(
                    await only.CheckHealthAsync(given.Token).WaitAsync(Left(start), cancellationToken).ConfigureAwait(false)),
                _ => new ShardsHealthReport(pluginId, failure).Of(
                    await Task.WhenAll(engines.Select(each => ShardHealth.CheckAsync(each, Left(start), limit, given.Token))).ConfigureAwait(false)),
            };
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

    // Empty if the journal is closed.
    private IReadOnlyList<JournalEngine> Open(ActorSystem system) =>
        system.WhenTerminated.IsCompleted ? [] : system.ReadJournalFor<ThrottledReadJournal>(pluginId).Engines;

    private TimeSpan Left(long start)
    {
        if (limit == Timeout.InfiniteTimeSpan)
            return limit;
        var left = limit - Stopwatch.GetElapsedTime(start);
        return left > TimeSpan.Zero ? left : TimeSpan.Zero;
    }

    private HealthCheckResult Failed(HealthStatus failure, string why, Exception? error = null) =>
        new(failure, why, error, new Dictionary<string, object> { ["journal"] = pluginId });
}
