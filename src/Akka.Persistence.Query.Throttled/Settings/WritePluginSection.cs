using Akka.Configuration;

namespace Akka.Persistence.Query.Throttled.Settings;

/// <summary>Translates the section of a write plugin into settings of a read journal.</summary>
internal static class WritePluginSection
{
    private enum Plugin
    {
        Other,
        Sql,
        Sqlite,
        PostgreSql,
        SqlServer,
        MySql,
    }

    /// <returns>Null if the plugin is not known.</returns>
    /// <exception cref="ConfigurationException">The plugin writes to a database that is not supported.</exception>
    internal static IReadOnlyList<InheritedSetting>? Read(string path, Config section) => PluginOf(path, section) switch
    {
        Plugin.Sql => OfAkkaPersistenceSql(path, section),
        Plugin.Sqlite => OfOlder(path, section, ProviderName.Sqlite, "sqlite"),
        Plugin.PostgreSql => OfOlder(path, section, ProviderName.PostgreSql, "postgresql"),
        Plugin.SqlServer => OfOlder(path, section, ProviderName.SqlServer, "sql-server"),
        Plugin.MySql => throw Unread(path),
        _ => null,
    };

    /// <summary>How the write plugin stores events, for a read journal that has its own connections.</summary>
    /// <returns>
    /// Empty if the plugin is not known or writes to another kind of database, because then it does not write this journal.
    /// </returns>
    internal static IEnumerable<InheritedSetting> ReadOn(DatabaseKind database, string path, Config section)
    {
        IEnumerable<InheritedSetting> said = (PluginOf(path, section), database) switch
        {
            // The write plugin's connections may also come from code; then its section names no provider.
            (Plugin.Sql, _) when section.GetString("provider-name") is not { Length: > 0 } name || ProviderName.Of(name) == database => OfAkkaPersistenceSql(path, section),
            (Plugin.PostgreSql, DatabaseKind.PostgreSql) => OfOlder(path, section, ProviderName.PostgreSql, "postgresql"),
            (Plugin.SqlServer, DatabaseKind.SqlServer) => OfOlder(path, section, ProviderName.SqlServer, "sql-server"),
            _ => [],
        };
        return said.Where(each => each.Key is not ("connection-string" or "provider-name"));
    }

    /// <summary>How the write plugin stores payloads, whatever its database.</summary>
    /// <returns>Empty if the plugin is not known.</returns>
    internal static IEnumerable<InheritedSetting> ReadPayloads(string path, Config section) => PluginOf(path, section) switch
    {
        Plugin.Other => [],
        Plugin.PostgreSql => Copied(path, section, ["stored-as", "serializer"]),
        _ => Copied(path, section, ["serializer"]),
    };

    /// <summary>
    /// The id by which code gives connections to the plugin. If the section has no id, the plugin's default id applies,
    /// whatever the path. Null for a plugin other than Akka.Persistence.Sql, because only that one accepts connections.
    /// </summary>
    internal static string? IdOf(string path, Config section) =>
        PluginOf(path, section) != Plugin.Sql ? null : section.GetString("plugin-id") is { Length: > 0 } id ? id : "akka.persistence.journal.sql";

    // The class may be missing, because plugins bring their defaults only when they start.
    private static Plugin PluginOf(string path, Config section) => section.GetString("class") is { Length: > 0 } name ? ByClass(name) : ByPath(path);

    // "Namespace.Type, Assembly", and possibly the assembly's version after that.
    private static Plugin ByClass(string name) => name.Split(',', StringSplitOptions.TrimEntries).ElementAtOrDefault(1) switch
    {
        "Akka.Persistence.Sql" => Plugin.Sql,
        "Akka.Persistence.Sqlite" => Plugin.Sqlite,
        "Akka.Persistence.PostgreSql" => Plugin.PostgreSql,
        "Akka.Persistence.SqlServer" => Plugin.SqlServer,
        "Akka.Persistence.MySql" => Plugin.MySql,
        _ => Plugin.Other,
    };

    private static Plugin ByPath(string path) => path switch
    {
        "akka.persistence.journal.sql" => Plugin.Sql,
        "akka.persistence.journal.sqlite" => Plugin.Sqlite,
        "akka.persistence.journal.postgresql" => Plugin.PostgreSql,
        "akka.persistence.journal.sql-server" => Plugin.SqlServer,
        "akka.persistence.journal.mysql" => Plugin.MySql,
        _ => Plugin.Other,
    };

    private static List<InheritedSetting> OfAkkaPersistenceSql(string path, Config section)
    {
        var mappingKey = TableSettings.MappingKey(section.GetString("table-compatibility-mode"));
        var mapping = section.GetString(mappingKey) ?? "default";
        var tagMode = section.GetString("tag-write-mode") ?? "";
        return
        [
            .. Copied(path, section, ["connection-string", "provider-name", "tag-separator", "serializer"]),
            // Under its newer key: the older one would win over the read journal's own setting.
            .. Copied(path, section, [mappingKey], _ => "table-mapping"),
            .. Copied(path, section, SettingNames.LayoutKeys.Values.Select(key => $"{mapping}.{key}")),
            // Both is for the change from the column to the table. Only the column has the tags of older events.
            .. tagMode.ToUpperInvariant() is "CSV" or "BOTH" ? [new InheritedSetting("tag-read-mode", "Csv", $"{path}.tag-write-mode")] : Array.Empty<InheritedSetting>(),
        ];
    }

    // The older plugins have these names directly in their section, and tags in a column of the journal.
    private static List<InheritedSetting> OfOlder(string path, Config section, string provider, string layout) =>
    [
        new("provider-name", provider, $"{path}.class"),
        new("table-mapping", layout, $"{path}.class"),
        new("tag-read-mode", "Csv", $"{path}.class"),
        .. Copied(path, section, ["connection-string", "stored-as", "serializer"]),
        .. Copied(path, section, ["schema-name"], _ => $"{layout}.schema-name"),
        .. Copied(path, section, ["table-name"], _ => $"{layout}.journal.table-name"),
    ];

    private static IEnumerable<InheritedSetting> Copied(string path, Config section, IEnumerable<string> keys, Func<string, string>? named = null) =>
        from key in keys
        let text = section.GetString(key)
        where !string.IsNullOrEmpty(text)
        select new InheritedSetting(named?.Invoke(key) ?? key, text, $"{path}.{key}");

    private static ConfigurationException Unread(string path) => new(
        $"The write plugin '{path}' writes to MySQL, which this version does not read; it must be one of PostgreSQL, SQL Server or SQLite. "
        + "If its journal was moved to one of them, set 'connection-string', 'provider-name' and 'table-mapping' of the read journal.");
}
