using Akka.Actor;
using Akka.Configuration;
using Akka.Persistence.Journal;

namespace Akka.Persistence.Query.Throttled.Envelopes;

/// <summary>The event adapters of a write plugin; none without a write plugin.</summary>
internal static class WritePluginAdapters
{
    /// <exception cref="ConfigurationException">An adapter cannot be created.</exception>
    internal static EventAdapters Of(ExtendedActorSystem system, string? writePlugin)
    {
        // Read the configuration only, because asking the write plugin for its adapters would start it.
        try
        {
            return EventAdapters.Create(system, writePlugin is null ? Config.Empty : system.Settings.Config.GetConfig(writePlugin));
        }
        catch (Exception error) when (error is not ConfigurationException)
        {
            throw new ConfigurationException($"The event adapters of '{writePlugin}' cannot be created: {error.Message}", error);
        }
    }
}
