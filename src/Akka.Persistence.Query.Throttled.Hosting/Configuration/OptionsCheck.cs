using Akka.Configuration;
using Akka.Persistence.Query.Throttled.Settings;

namespace Akka.Persistence.Query.Throttled.Hosting.Configuration;

/// <summary>Refuses options that are wrong by themselves, in the words in which the plugin would refuse them later.</summary>
internal static class OptionsCheck
{
    // What Akka.Hosting refuses in the identifiers of journals.
    private const string NotInIdentifiers = "$\"{}[]:=,#`^?!@*&\\./";

    /// <summary>The section of the options.</summary>
    /// <exception cref="ConfigurationException">A value is wrong; the message names it.</exception>
    internal static Config Checked(ThrottledReadJournalOptions options)
    {
        Identifier(options.Identifier);
        var section = OptionsHocon.Section(options);
        SettingsFile.Check(options.PluginId, section.GetConfig(options.PluginId));
        return section;
    }

    /// <exception cref="ConfigurationException">It cannot be one.</exception>
    internal static void Identifier(string identifier)
    {
        if (string.IsNullOrEmpty(identifier) || identifier.Any(each => char.IsWhiteSpace(each) || NotInIdentifiers.Contains(each, StringComparison.Ordinal)))
        {
            throw new ConfigurationException(
                $"'Identifier' is \"{identifier}\"; it must be a name without whitespace and without any of {NotInIdentifiers} because it is "
                + "the last part of 'akka.persistence.query.journal.…'. Leave it out for \"throttled\".");
        }
    }
}
