using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.DependencyInjection.Extensions;
using Microsoft.Extensions.Hosting;
using Throttled.Projections.Hosting;

namespace Throttled.Projections;

/// <summary>
/// Projections that run as long as a host. Each starts with the host, without keeping it waiting for a database. When the host stops, the batches in
/// hand are finished, or rolled back where that takes longer than the host's shutdown time-out. One that ends by itself leaves the host running.
/// </summary>
public static class ProjectionServiceCollectionExtensions
{
    /// <summary>
    /// Adds a projection whose handler is among the services; where it is not yet, it is added as a singleton. The <see cref="Projection"/> itself is
    /// there too, as a keyed singleton under its name. One handler serves all lanes for as long as the host runs, so that it cannot be scoped: where it
    /// needs something scoped, as an EF Core context, it makes a scope for each batch (<c>IServiceScopeFactory</c>), or takes an
    /// <c>IDbContextFactory</c> and makes a context for each.
    /// </summary>
    /// <typeparam name="THandler">The handler: a <see cref="BatchHandler"/> or <see cref="AtLeastOnceHandler"/>.</typeparam>
    /// <param name="services">The host's services.</param>
    /// <param name="name">The projection's name, as in <see cref="ProjectionOptions.Name"/>; one of the host's projections can have it.</param>
    /// <param name="configure">Says more of it; nothing by default.</param>
    /// <exception cref="ArgumentException">The name is empty.</exception>
    /// <exception cref="InvalidOperationException">
    /// There is a projection of that name. Or, when the host starts: the handler is a scoped service.
    /// </exception>
    /// <returns>The services.</returns>
    public static IServiceCollection AddProjection<THandler>(
        this IServiceCollection services, string name, Action<ProjectionRegistration>? configure = null)
        where THandler : ProjectionHandler
    {
        ArgumentNullException.ThrowIfNull(services);
        Add(services, name, provider => HandlerOf<THandler>(services, provider, name), configure);
        services.TryAddSingleton<THandler>();
        return services;
    }

    // When the host starts, because it may be added after the projection. The root provider would make one that lives as long as the host.
    private static THandler HandlerOf<THandler>(IServiceCollection services, IServiceProvider provider, string name)
        where THandler : ProjectionHandler =>
        services.LastOrDefault(each => each.ServiceType == typeof(THandler) && !each.IsKeyedService)?.Lifetime == ServiceLifetime.Scoped
            ? throw new InvalidOperationException(
                $"The handler {typeof(THandler).Name} of the projection '{name}' is a scoped service; it must be a singleton, because one serves all lanes at once. "
                + "Add it by 'AddSingleton', and have it make a scope, or a context by 'IDbContextFactory', for each batch.")
            : provider.GetRequiredService<THandler>();

    /// <summary>Adds a projection with a handler that is there; otherwise as the other.</summary>
    /// <param name="services">The host's services.</param>
    /// <param name="name">The projection's name, as in <see cref="ProjectionOptions.Name"/>; one of the host's projections can have it.</param>
    /// <param name="handler">The handler; the caller's to dispose.</param>
    /// <param name="configure">Says more of it; nothing by default.</param>
    /// <exception cref="ArgumentException">The name is empty.</exception>
    /// <exception cref="InvalidOperationException">There is a projection of that name.</exception>
    /// <returns>The services.</returns>
    public static IServiceCollection AddProjection(
        this IServiceCollection services, string name, ProjectionHandler handler, Action<ProjectionRegistration>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(services);
        ArgumentNullException.ThrowIfNull(handler);
        Add(services, name, _ => handler, configure);
        return services;
    }

    private static void Add(
        IServiceCollection services, string name, Func<IServiceProvider, ProjectionHandler> handler, Action<ProjectionRegistration>? configure)
    {
        ArgumentException.ThrowIfNullOrEmpty(name);
        if (services.Any(each => each.ServiceType == typeof(Projection) && name.Equals(each.ServiceKey)))
            throw new InvalidOperationException($"There is a projection '{name}' already. Give this one another name, or leave it out.");
        var registration = new ProjectionRegistration(name, handler);
        configure?.Invoke(registration);
        services.AddKeyedSingleton(name, (provider, _) => registration.Make(provider));
        services.AddSingleton<IHostedService>(provider => new ProjectionService(provider, name));
    }
}
