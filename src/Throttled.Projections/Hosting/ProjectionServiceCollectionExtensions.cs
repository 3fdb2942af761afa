using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.DependencyInjection.Extensions;
using Microsoft.Extensions.Hosting;
using Throttled.Projections.Hosting;

namespace Throttled.Projections;

/// <summary>
/// Registers projections that run as long as a host. A projection starts with the host, which does not wait for a database. When the host stops,
/// running batches have 5 s to finish, or until the host's shutdown timeout; then they are rolled back. A projection that ends by itself does not
/// stop the host.
/// </summary>
public static class ProjectionServiceCollectionExtensions
{
    /// <summary>
    /// Adds a projection whose handler comes from the services. If the handler is not registered, it is added as a singleton. The
    /// <see cref="Projection"/> is registered as a keyed singleton under its name. One handler serves all lanes as long as the host runs, so it
    /// cannot be scoped. A handler that needs scoped services creates a scope for each batch (<c>IServiceScopeFactory</c>). For an EF Core context, use
    /// the package <c>Throttled.Projections.EntityFrameworkCore</c>.
    /// </summary>
    /// <typeparam name="THandler">The handler: an <see cref="EntityStateHandler{TState}"/>, <see cref="TransactionalHandler"/>, <see cref="BatchHandler"/> or
    /// <see cref="AtLeastOnceHandler"/>.</typeparam>
    /// <param name="services">The host's services.</param>
    /// <param name="name">The projection's name, as in <see cref="ProjectionOptions.Name"/>. It must be unique in the host.</param>
    /// <param name="configure">Configures the projection; nothing by default.</param>
    /// <exception cref="ArgumentException">The name is empty.</exception>
    /// <exception cref="InvalidOperationException">A projection of that name exists. Or, when the host starts: the handler is a scoped service.</exception>
    public static IServiceCollection AddProjection<THandler>(
        this IServiceCollection services, string name, Action<ProjectionRegistration>? configure = null)
        where THandler : ProjectionHandler
    {
        ArgumentNullException.ThrowIfNull(services);
        Add(services, name, provider => HandlerOf<THandler>(services, provider, name), configure);
        services.TryAddSingleton<THandler>();
        return services;
    }

    // Checked when the host starts, because the handler may be registered after the projection. The root provider would create a scoped handler that
    // lives as long as the host.
    private static THandler HandlerOf<THandler>(IServiceCollection services, IServiceProvider provider, string name)
        where THandler : ProjectionHandler =>
        services.LastOrDefault(each => each.ServiceType == typeof(THandler) && !each.IsKeyedService)?.Lifetime == ServiceLifetime.Scoped
            ? throw new InvalidOperationException(
                $"The handler {typeof(THandler).Name} of the projection '{name}' is a scoped service; it must be a singleton, because one serves all lanes at once. "
                + "Add it by 'AddSingleton', and have it make a scope for each batch; for an EF Core context, use Throttled.Projections.EntityFrameworkCore.")
            : provider.GetRequiredService<THandler>();

    /// <summary>Adds a projection with a given handler. Otherwise the same as the other overload.</summary>
    /// <param name="services">The host's services.</param>
    /// <param name="name">The projection's name, as in <see cref="ProjectionOptions.Name"/>. It must be unique in the host.</param>
    /// <param name="handler">The handler. The caller disposes it.</param>
    /// <param name="configure">Configures the projection; nothing by default.</param>
    /// <exception cref="ArgumentException">The name is empty.</exception>
    /// <exception cref="InvalidOperationException">A projection of that name exists.</exception>
    public static IServiceCollection AddProjection(
        this IServiceCollection services, string name, ProjectionHandler handler, Action<ProjectionRegistration>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(services);
        ArgumentNullException.ThrowIfNull(handler);
        Add(services, name, _ => handler, configure);
        return services;
    }

    /// <summary>
    /// Adds a projection whose handler is built from functions. Otherwise the same as the other overloads. If a function needs a service, write a
    /// handler class instead: its constructor gets the service.
    /// </summary>
    /// <param name="services">The host's services.</param>
    /// <param name="name">The projection's name, as in <see cref="ProjectionOptions.Name"/>. It must be unique in the host.</param>
    /// <param name="handler">Adds the functions.</param>
    /// <param name="configure">Configures the projection; nothing by default.</param>
    /// <exception cref="ArgumentException">The name is empty, or two functions have the same type.</exception>
    /// <exception cref="InvalidOperationException">A projection of that name exists, or there are no functions, or functions of several kinds.</exception>
    public static IServiceCollection AddProjection(
        this IServiceCollection services, string name, Action<HandlerBuilder> handler, Action<ProjectionRegistration>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(handler);
        var builder = new HandlerBuilder();
        handler(builder);
        return AddProjection(services, name, builder.Build(), configure);
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
        services.AddSingleton(registration);
        services.AddSingleton<IHostedService>(provider => new ProjectionService(provider, name));
    }
}
