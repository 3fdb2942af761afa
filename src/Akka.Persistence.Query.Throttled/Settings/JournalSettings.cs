using System.Data.Common;
using Throttled.Journal;

namespace Akka.Persistence.Query.Throttled.Settings;

/// <summary>All that one read journal was configured with.</summary>
internal sealed record JournalSettings
{
    /// <summary>The section's path: the id of the plugin.</summary>
    internal required string PluginId { get; init; }

    internal required DatabaseKind Database { get; init; }

    /// <summary>Where the database is; empty where <see cref="DataSource"/> says it.</summary>
    internal required string ConnectionString { get; init; }

    /// <summary>The setting that <see cref="ConnectionString"/> was read from.</summary>
    internal required string ConnectionSetting { get; init; }

    /// <summary>Opens the connections; null if <see cref="ConnectionString"/> is used.</summary>
    internal DbDataSource? DataSource => Given?.DataSource;

    /// <summary>The database that code gave; null if settings name it.</summary>
    internal GivenDatabase? Given { get; init; }

    /// <summary>The path of the write plugin; null where there is none.</summary>
    internal required string? WritePlugin { get; init; }

    internal required JournalOptions Options { get; init; }

    internal required SettingNames Names { get; init; }

    internal required UndecodableEventAction OnUndecodableEvent { get; init; }

    /// <summary>The name of the serializer of rows without a serializer id; null for that of their type.</summary>
    internal string? Serializer { get; init; }

    /// <summary>Whether payloads without a serializer id are JSON text as the older PostgreSQL plugin wrote it.</summary>
    internal required bool IsStoredAsJson { get; init; }

    /// <summary>What the section says that means nothing here.</summary>
    internal UnusedSettings Unused { get; init; } = UnusedSettings.None;
}

/// <summary>How the payloads of a journal are stored.</summary>
/// <param name="PluginId">The path of the read journal's section.</param>
/// <param name="WritePlugin">The path of the write plugin; null where there is none.</param>
/// <param name="Serializer">The name of the serializer of rows without a serializer id; null for that of their type.</param>
/// <param name="IsStoredAsJson">Whether such rows are JSON text as the older PostgreSQL plugin wrote it.</param>
internal sealed record PayloadSettings(string PluginId, string? WritePlugin, string? Serializer, bool IsStoredAsJson);
