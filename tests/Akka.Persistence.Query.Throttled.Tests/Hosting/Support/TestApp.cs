using Akka.Actor;
using Akka.Hosting;
using Akka.Persistence.Query.Throttled.Settings;
using Akka.Streams;
using Akka.Streams.Dsl;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Microsoft.Extensions.Hosting;

namespace Akka.Persistence.Query.Throttled.Tests.Hosting.Support;

/// <summary>A host with an actor system, like that of an application.</summary>
internal sealed class TestApp : IAsyncDisposable
{
    private readonly IHost _host;

    private TestApp(IHost host) => _host = host;

    internal IServiceProvider Services => _host.Services;

    internal ActorSystem System => Services.GetRequiredService<ActorSystem>();

    internal static async Task<TestApp> StartAsync(Action<AkkaConfigurationBuilder> akka, Action<IHealthChecksBuilder>? health = null)
    {
        var app = Of(akka, health);
        try
        {
            await app._host.StartAsync().WithinAsync("the host has started");
            return app;
        }
        catch
        {
            // There is nothing to stop: Akka.Hosting has stopped everything that it started.
            await ((IAsyncDisposable)app._host).DisposeAsync();
            throw;
        }
    }

    internal ThrottledReadJournal Journal(string identifier = "throttled") =>
        System.ReadJournalFor<ThrottledReadJournal>($"akka.persistence.query.journal.{identifier}");

    /// <summary>The settings that the plugin reads for a read journal.</summary>
    internal JournalSettings Settings(string identifier = "throttled") =>
        SettingsFile.Read(System, System.Settings.Config.GetConfig($"akka.persistence.query.journal.{identifier}")).Single();

    /// <summary>The options of a read journal, without its logger factory.</summary>
    internal JournalOptions Options(string identifier = "throttled") => Journal(identifier).Engine.Options with { LoggerFactory = null };

    /// <summary>The first items of a query.</summary>
    internal async Task<IReadOnlyList<T>> FirstAsync<T>(Source<T, NotUsed> query, int count) =>
        await query.Take(count).RunWith(Sink.Seq<T>(), System.Materializer()).WithinAsync($"{count} events");

    /// <summary>The only health check.</summary>
    internal async Task<HealthReportEntry> HealthAsync()
    {
        var report = await _host.Services.GetRequiredService<HealthCheckService>().CheckHealthAsync().WithinAsync("a report");
        return report.Entries.Values.Single();
    }

    internal async Task<HealthReportEntry> HealthAsync(HealthStatus awaited)
    {
        HealthReportEntry entry = default;
        await Wait.UntilAsync(
            async () => (entry = await HealthAsync()).Status == awaited, () => $"{awaited}; it is {entry.Status}: {entry.Description}");
        return entry;
    }

    public async ValueTask DisposeAsync()
    {
        await _host.StopAsync().WithinAsync("the host has stopped");
        await ((IAsyncDisposable)_host).DisposeAsync();
    }

    private static TestApp Of(Action<AkkaConfigurationBuilder> akka, Action<IHealthChecksBuilder>? health)
    {
        var builder = Host.CreateEmptyApplicationBuilder(null);
        builder.Services.AddLogging();
        builder.Services.AddAkka("app", each => akka(each.AddHocon($"akka {{ loglevel = OFF, stdout-loglevel = OFF }}\n{AkkaTimeouts.Hocon}", HoconAddMode.Prepend)));
        health?.Invoke(builder.Services.AddHealthChecks());
        return new(builder.Build());
    }
}
