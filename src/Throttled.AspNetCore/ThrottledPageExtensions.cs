using Microsoft.AspNetCore.Antiforgery;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Routing;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;
using Throttled.AspNetCore.Access;
using Throttled.AspNetCore.Endpoints;
using Throttled.AspNetCore.Status;

namespace Throttled.AspNetCore;

/// <summary>Maps the page that shows the journals and projections of an application.</summary>
public static class ThrottledPageExtensions
{
    private const string Category = "Throttled.AspNetCore";

    /// <summary>
    /// Maps a page that shows, live, the journals that this process reads, and the projections of its read model databases. These databases are the
    /// <see cref="ReadModelDatabase"/> that is registered as a service, and those of the projections that <c>AddProjection</c> added. Without an
    /// authorization policy, the page answers only requests from this machine; others get 403. While no page is open, nothing is read.
    /// </summary>
    /// <param name="endpoints">The application.</param>
    /// <param name="pattern">The path of the page; <c>/throttled</c> by default.</param>
    /// <param name="options">The options of the page; null for the defaults.</param>
    /// <exception cref="InvalidOperationException">Commands are allowed, but the antiforgery services are not registered.</exception>
    /// <returns>The group of all endpoints of the page. <c>.RequireAuthorization("ops")</c> on the group covers all of them.</returns>
    public static RouteGroupBuilder MapThrottled(this IEndpointRouteBuilder endpoints, string pattern = "/throttled", ThrottledPageOptions? options = null)
    {
        ArgumentNullException.ThrowIfNull(endpoints);
        ArgumentNullException.ThrowIfNull(pattern);
        options ??= new();
        var services = endpoints.ServiceProvider;
        if (options.AllowCommands && services.GetService<IAntiforgery>() is null)
        {
            throw new InvalidOperationException(
                $"'{nameof(options.AllowCommands)}' is true, but the antiforgery services are not registered. Add 'builder.Services.AddAntiforgery()', or leave the option false.");
        }
        var time = services.GetService<TimeProvider>() ?? TimeProvider.System;
        var log = (services.GetService<ILoggerFactory>() ?? NullLoggerFactory.Instance).CreateLogger(Category);
        var stopping = services.GetService<IHostApplicationLifetime>()?.ApplicationStopping ?? CancellationToken.None;
        var readModels = new ReadModels(services, time);
        var about = new PageAbout(services.GetService<IHostEnvironment>()?.ApplicationName ?? "", Environment.MachineName, options.AllowCommands);
        var snapshot = new SharedSnapshot<string>(new StatusReader(about, readModels, time).TakeAsync, time);

        // The first filter adds the security headers, so refused requests get them too.
        var group = endpoints.MapGroup(pattern).ExcludeFromDescription();
        group.AddEndpointFilter(PageHeaders.AddAsync).AddEndpointFilter(LoopbackRule.CheckAsync).AddEndpointFilter(SameOriginRule.CheckAsync);
        PageFiles.Map(group);
        StatusEndpoints.Map(group, snapshot, readModels, stopping);
        if (options.AllowCommands)
            CommandEndpoints.Map(group, readModels, log, time);
        return group;
    }
}
