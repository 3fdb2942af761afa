using System.Data.Common;
using Akka.Actor;
using Akka.Configuration;

namespace Akka.Persistence.Query.Throttled.Settings;

/// <summary>A database that was given in code.</summary>
/// <param name="DataSource">Where connections come from; null where <paramref name="Settings"/> say it.</param>
/// <param name="Settings">What code says in the place of the section's settings: <c>provider-name</c>, <c>connection-string</c>, or nothing.</param>
internal sealed record GivenDatabase(DbDataSource? DataSource, params IReadOnlyList<LentSetting> Settings)
{
    /// <summary>What else code says of it, which means nothing here.</summary>
    internal IReadOnlyList<string> Unused { get; init; } = [];

    /// <summary>That of a write plugin which connects by what was given in code; null where its section says where it is.</summary>
    /// <param name="system">The actor system.</param>
    /// <param name="path">The path of the write plugin.</param>
    /// <exception cref="ConfigurationException">It cannot be read.</exception>
    internal static GivenDatabase? OfWritePlugin(ActorSystem system, string path) =>
        system.Settings.Setup.Get<ThrottledReadJournalSetup>().Value is { } setup && WritePluginSection.IdOf(path, system.Settings.Config.GetConfig(path)) is { } id
            ? setup.DatabaseOfWritePlugin(system, id)
            : null;

    /// <summary>The read journal's settings, with those that code says.</summary>
    internal SettingReader LendTo(SettingReader own) => Settings.Count > 0 ? own.With(Settings) : own;

    /// <summary>What it is.</summary>
    /// <exception cref="ConfigurationException">Nothing says it, or it cannot be read.</exception>
    internal DatabaseKind KindBy(SettingReader settings) => DataSource is null ? ProviderName.Read(settings) : ProviderName.Read(settings, DataSource);
}
