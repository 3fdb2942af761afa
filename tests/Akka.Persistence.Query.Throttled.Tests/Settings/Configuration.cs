using System.Text.RegularExpressions;
using Akka.Configuration;
using Akka.Persistence.Query.Throttled.Settings;

namespace Akka.Persistence.Query.Throttled.Tests.Settings;

/// <summary>A configuration like that of applications; only the id of the read journal is changed.</summary>
internal static class Configuration
{
    internal static string Text(string name)
    {
        using var file = typeof(Configuration).Assembly.GetManifestResourceStream($"{name}.conf")
            ?? throw new ArgumentException($"There is no Configurations/{name}.conf.", nameof(name));
        using var text = new StreamReader(file);
        return Regex.Replace(text.ReadToEnd(), @"query\.journal\.sql\b", "query.journal.throttled");
    }

    /// <summary>An actor system with this configuration.</summary>
    internal static ConfiguredSystem System(string name, string differs = "")
    {
        // Other sections are not tested; a cluster would need its package.
        var config = ConfigurationFactory.ParseString($"akka.actor.provider = local\n{differs}").WithFallback(ConfigurationFactory.ParseString(Text(name)));
        return new(config.WithFallback(SettingsFile.Reference));
    }

    internal static JournalSettings Settings(string name, string differs = "")
    {
        using var system = System(name, differs);
        return system.Read();
    }
}
