using System.Diagnostics;
using Akka.Actor;
using Akka.Hosting;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Throttled.Journal;
using Throttled.Journal.Diagnostics;

namespace Akka.Persistence.Query.Throttled.Hosting.Health;

/// <summary>Looks at one read journal of the application's actor system, and gives up in time.</summary>
/// <param name="pluginId">The id of the read journal.</param>
/// <param name="limit">How long it may take.</param>
/// <param name="services">Where the actor system is; null where Akka.Hosting says which it is.</param>
internal sealed class ReadJournalHealthCheck(string pluginId, TimeSpan limit, IServiceProvider? services = null) : IHealthCheck, IAkkaHealthCheck
{
    /// <summary>Those of a check that was given none; a readiness endpoint selects by the last.</summary>
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
            // Beside this thread: opening waits for whoever opens another read journal, and those of others may take long.
            var engines = await Task.Run(() => Open(system()), given.Token).WaitAsync(limit, cancellationToken).ConfigureAwait(false);
            return engines switch
            {
                [] => Failed(failure, $"The journal '{pluginId}' is closed: the actor system '{system().Name}' has terminated."),
                [var only] => new HealthVerdict(pluginId, only.Options, failure).Of(
                    await only.LookAsync(given.Token).WaitAsync(Left(start), cancellationToken).ConfigureAwait(false)),
                _ => new ShardsVerdict(pluginId, failure).Of(
                    await Task.WhenAll(engines.Select(each => ShardLook.AtAsync(each, Left(start), limit, given.Token))).ConfigureAwait(false)),
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

    // None where it is closed.
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
