using System.Data.Common;
using Akka.Actor;
using Akka.Configuration;

namespace Akka.Persistence.Query.Throttled.Settings;

/// <summary>A database that code gave, instead of settings.</summary>
/// <param name="DataSource">Opens the connections; null if <paramref name="Settings"/> have a connection string.</param>
/// <param name="Settings">Replace the section's settings: <c>provider-name</c>, <c>connection-string</c>, or none.</param>
internal sealed record GivenDatabase(DbDataSource? DataSource, params IReadOnlyList<InheritedSetting> Settings)
{
    /// <summary>The other parts that code gave; the read journal does not use them.</summary>
    internal IReadOnlyList<string> Unused { get; init; } = [];

    /// <summary>The database that code gave to a write plugin; null if the plugin's section names it.</summary>
    /// <exception cref="ConfigurationException">The read journal cannot use it.</exception>
    internal static GivenDatabase? OfWritePlugin(ActorSystem system, string path) =>
        system.Settings.Setup.Get<ThrottledReadJournalSetup>().Value is { } setup && WritePluginSection.IdOf(path, system.Settings.Config.GetConfig(path)) is { } id
            ? setup.DataOptionsOfWritePlugin(system, id)
            : null;

    /// <summary>The read journal's settings, overridden by those of this database.</summary>
    internal SettingReader ApplyTo(SettingReader own) => Settings.Count > 0 ? own.With(Settings) : own;

    /// <exception cref="ConfigurationException">The kind of database is not known, or not supported.</exception>
    internal DatabaseKind KindBy(SettingReader settings) => DataSource is null ? ProviderName.Read(settings) : ProviderName.Read(settings, DataSource);
}
