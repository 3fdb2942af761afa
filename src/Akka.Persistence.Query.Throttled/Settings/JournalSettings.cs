using System.Data.Common;
using Throttled.Journal;
using Throttled.Journal.Permits;

namespace Akka.Persistence.Query.Throttled.Settings;

/// <summary>All settings of one database of a read journal.</summary>
internal sealed record JournalSettings
{
    /// <summary>The path of the section, which is the plugin's id.</summary>
    internal required string PluginId { get; init; }

    internal required DatabaseKind Database { get; init; }

    /// <summary>The connection string. Not used if <see cref="DataSource"/> is set.</summary>
    internal required string ConnectionString { get; init; }

    /// <summary>The full name of the setting of <see cref="ConnectionString"/>.</summary>
    internal required string ConnectionSetting { get; init; }

    /// <summary>Opens the connections; null if <see cref="ConnectionString"/> is used.</summary>
    internal DbDataSource? DataSource => Given?.DataSource;

    /// <summary>The database that code gave; null if settings name it.</summary>
    internal GivenDatabase? Given { get; init; }

    /// <summary>The path of the write plugin; null if there is none.</summary>
    internal required string? WritePlugin { get; init; }

    internal required JournalOptions Options { get; init; }

    internal required SettingNames Names { get; init; }

    internal required UndecodableEventAction OnUndecodableEvent { get; init; }

    /// <summary>The name of the serializer for rows without a serializer id; null for the serializer of their type.</summary>
    internal string? Serializer { get; init; }

    /// <summary>Whether payloads without a serializer id are JSON text, as the older PostgreSQL plugin wrote them.</summary>
    internal required bool IsStoredAsJson { get; init; }

    /// <summary>The budget of all nodes of the cluster; null if there is none.</summary>
    internal BudgetSettings? Cluster { get; init; }

    /// <summary>The limit that the cluster's budget sets; null if there is no budget.</summary>
    internal PermitCeiling? Ceiling { get; init; }

    /// <summary>The settings of the section that have no effect.</summary>
    internal UnusedSettings Unused { get; init; } = UnusedSettings.None;
}

/// <summary>How the payloads of a journal are stored.</summary>
/// <param name="PluginId">The path of the read journal's section.</param>
/// <param name="WritePlugin">The path of the write plugin; null if there is none.</param>
/// <param name="Serializer">The name of the serializer for rows without a serializer id; null for the serializer of their type.</param>
/// <param name="IsStoredAsJson">Whether these rows are JSON text, as the older PostgreSQL plugin wrote them.</param>
internal sealed record PayloadSettings(string PluginId, string? WritePlugin, string? Serializer, bool IsStoredAsJson);
