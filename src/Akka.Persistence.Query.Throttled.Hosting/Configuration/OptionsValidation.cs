using Akka.Configuration;
using Akka.Persistence.Query.Throttled.Settings;

namespace Akka.Persistence.Query.Throttled.Hosting.Configuration;

/// <summary>Refuses wrong options early, with the same messages as the plugin later.</summary>
internal static class OptionsValidation
{
    // The characters that Akka.Hosting refuses in identifiers of journals.
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

    /// <summary>Adds the databases that the options hold as objects. Does nothing if settings name the database.</summary>
    /// <exception cref="ConfigurationException">More than one option is set, one is null, or the read journal cannot use the <c>DataOptions</c>.</exception>
    internal static void AddDatabases(ThrottledReadJournalSetup setup, ThrottledReadJournalOptions options)
    {
        (string Name, object? Value)[] all = [(nameof(options.DataSource), options.DataSource), (nameof(options.DataSources), options.DataSources), (nameof(options.DataOptions), options.DataOptions)];
        if (all.Where(each => each.Value is not null).Select(each => each.Name).ToArray() is [var first, var second, ..])
            throw new ConfigurationException($"'{first}' and '{second}' are both set; only one may be, because each says where the journal is. Leave one of them out.");
        if (options.DataSources is { } sources && (sources.Count == 0 || sources.Contains(null)))
            throw new ConfigurationException("'DataSources' is empty or contains null; it must have one data source for each shard. Leave it out to read the databases that the settings name.");
        if (options.DataOptions is { } dataOptions)
            setup.Add(options.PluginId, new DataOptionsDatabase(dataOptions, options.PluginId).Given());
        else if ((options.DataSource is { } only ? [only] : options.DataSources) is { } given)
            setup.WithDataSources(options.PluginId, given);
    }

    /// <returns>The given time limit; 5 s by default.</returns>
    /// <exception cref="ArgumentOutOfRangeException">The time limit is not above 0.</exception>
    internal static TimeSpan HealthTimeout(TimeSpan? timeout)
    {
        if (timeout is { } limit && limit != Timeout.InfiniteTimeSpan)
            ArgumentOutOfRangeException.ThrowIfLessThanOrEqual(limit, TimeSpan.Zero, nameof(timeout));
        return timeout ?? TimeSpan.FromSeconds(5);
    }

    /// <exception cref="ConfigurationException">The identifier is not allowed.</exception>
    internal static void Identifier(string identifier, string parent = "akka.persistence.query.journal")
    {
        if (string.IsNullOrEmpty(identifier) || identifier.Any(each => char.IsWhiteSpace(each) || NotInIdentifiers.Contains(each, StringComparison.Ordinal)))
        {
            throw new ConfigurationException(
                $"'Identifier' is \"{identifier}\"; it must be a name without whitespace and without any of {NotInIdentifiers} because it is "
                + $"the last part of '{parent}.…'. Leave it out for the default.");
        }
    }
}
