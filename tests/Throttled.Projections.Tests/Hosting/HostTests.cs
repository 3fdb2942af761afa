using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Microsoft.Extensions.Hosting;

namespace Throttled.Projections.Tests.Hosting;

/// <summary>Projections in a host.</summary>
public sealed class HostTests : IDisposable
{
    private readonly HostedFiles _files = new();

    public void Dispose() => _files.Delete();

    [Fact]
    public async Task A_bad_option_keeps_the_host_from_starting()
    {
        using var host = Build(projection => projection.WithOptions(options => options with { BatchSize = 0 }));
        Assert.Equal(
            "'BatchSize' of the projection 'balances' is 0; it must be from 1 to 100000.", (await Assert.ThrowsAsync<ArgumentException>(() => host.StartAsync())).Message);
    }

    [Fact]
    public async Task The_health_check_reports_whether_the_projection_runs()
    {
        using var host = Build();
        Assert.Equal((HealthStatus.Degraded, "The projection 'balances' has not started."), await HealthAsync(host));
        await host.StartAsync();
        await Wait.UntilAsync(async () => (await HealthAsync(host)).Status == HealthStatus.Healthy, () => "a healthy projection");
        await host.StopAsync();
        var (status, description) = await HealthAsync(host);
        Assert.Equal(HealthStatus.Unhealthy, status);
        Assert.StartsWith("The projection 'balances' has ended: ", description, StringComparison.Ordinal);
    }

    [Fact]
    public async Task The_health_check_has_the_projections_name_and_figures()
    {
        using var host = Build();
        var (name, entry) = Assert.Single((await ReportAsync(host)).Entries);
        Assert.Equal("projection:balances", name);
        Assert.Equal(["projection", "throttled"], entry.Tags.Order());
        Assert.Equal(["dead-letters", "events", "journal-end", "lag", "lag-time", "lanes", "offset", "same-lag-for", "unhandled"], entry.Data.Keys.Order());
    }

    [Fact]
    public async Task A_health_check_of_an_unknown_projection_is_degraded()
    {
        using var host = Build(health: checks => checks.AddProjection("other", checkName: "check", failureStatus: HealthStatus.Degraded, tags: ["tag"]));
        var entry = (await ReportAsync(host)).Entries["check"];
        Assert.Equal(
            (HealthStatus.Degraded, "There is no projection 'other'. Add it by 'AddProjection', or correct the name of the health check."),
            (entry.Status, entry.Description));
        Assert.Equal(["tag"], entry.Tags);
    }

    [Fact]
    public async Task A_projection_that_cannot_be_created_is_unhealthy_with_the_reason()
    {
        using var host = Build(projection => projection.WithOptions(options => options with { Lanes = 0 }));
        Assert.Equal((HealthStatus.Unhealthy, "The projection 'balances' cannot be created: 'Lanes' of the projection 'balances' is 0; it must be from 1 to 1024."), await HealthAsync(host));
    }

    private IHost Build(Action<ProjectionRegistration>? configure = null, Action<IHealthChecksBuilder>? health = null)
    {
        var builder = new HostApplicationBuilder(new HostApplicationBuilderSettings { DisableDefaults = true });
        builder.Services.AddSingleton(_ => _files.OpenJournal()).AddSingleton(_ => _files.OpenReadModel());
        builder.Services.AddProjection<HandlerOfNothing>("balances", configure);
        (health ?? (checks => checks.AddProjection("balances")))(builder.Services.AddHealthChecks());
        return builder.Build();
    }

    private static async Task<(HealthStatus Status, string? Description)> HealthAsync(IHost host)
    {
        var entry = Assert.Single((await ReportAsync(host)).Entries).Value;
        return (entry.Status, entry.Description);
    }

    private static Task<HealthReport> ReportAsync(IHost host) => host.Services.GetRequiredService<HealthCheckService>().CheckHealthAsync();
}
