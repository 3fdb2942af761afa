using System.Data.Common;
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

    /// <summary>The data source of each shard; none where settings say where the journal is.</summary>
    /// <exception cref="ConfigurationException">They are given twice, or one is null.</exception>
    internal static IReadOnlyList<DbDataSource> DataSources(ThrottledReadJournalOptions options)
    {
        if (options.DataSource is not null && options.DataSources is not null)
            throw new ConfigurationException("'DataSource' is set beside 'DataSources', which has those of all shards; only one of them may be. Leave 'DataSource' out.");
        if (options.DataSources is { } all && (all.Count == 0 || all.Contains(null)))
            throw new ConfigurationException("'DataSources' has none for some shard; it must have one for each. Leave it out to read where settings say.");
        return options.DataSource is { } only ? [only] : options.DataSources ?? [];
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
