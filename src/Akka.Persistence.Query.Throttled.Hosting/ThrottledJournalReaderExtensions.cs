using Akka.Actor;
using Akka.Configuration;
using Akka.Persistence.Query.Throttled.Hosting.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Throttled.Journal;

namespace Akka.Persistence.Query.Throttled.Hosting;

/// <summary>Gives projections the reader of a read journal, so that both share one set of connections and one set of limits.</summary>
public static class ThrottledJournalReaderExtensions
{
    /// <summary>
    /// Adds the reader of the application's read journal <c>throttled</c> as <see cref="JournalReader"/>. The host's
    /// projections use it. Add the journal with <c>WithThrottledReadJournal()</c>.
    /// </summary>
    /// <param name="services">The host's services.</param>
    /// <returns>The services.</returns>
    public static IServiceCollection AddThrottledJournalReader(this IServiceCollection services)
    {
        ArgumentNullException.ThrowIfNull(services);
        return services.AddSingleton(provider => ReaderOf(provider, ThrottledReadJournal.Identifier));
    }

    /// <summary>Adds the reader of another read journal, with its identifier as the key: <c>projection.WithJournal("orders")</c>.</summary>
    /// <param name="services">The host's services.</param>
    /// <param name="identifier">The last part of the read journal's id: <see cref="ThrottledReadJournalOptions.Identifier"/>.</param>
    /// <exception cref="ConfigurationException">The identifier has characters that are not allowed.</exception>
    /// <returns>The services.</returns>
    public static IServiceCollection AddThrottledJournalReader(this IServiceCollection services, string identifier)
    {
        ArgumentNullException.ThrowIfNull(services);
        OptionsValidation.Identifier(identifier);
        var pluginId = new ThrottledReadJournalOptions { Identifier = identifier }.PluginId;
        return services.AddKeyedSingleton(identifier, (provider, _) => ReaderOf(provider, pluginId));
    }

    private static JournalReader ReaderOf(IServiceProvider services, string pluginId) =>
        services.GetRequiredService<ActorSystem>().ReadJournalFor<ThrottledReadJournal>(pluginId).Reader;
}
