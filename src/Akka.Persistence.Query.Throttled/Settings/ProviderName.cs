using Akka.Configuration;

namespace Akka.Persistence.Query.Throttled.Settings;

/// <summary>The names of databases as linq2db spells them, which is how Akka.Persistence.Sql is configured: the kind, then a version or driver.</summary>
internal static class ProviderName
{
    internal const string Sqlite = "SQLite";
    internal const string PostgreSql = "PostgreSQL";

    private const string Key = "provider-name";

    internal static bool IsPostgreSql(string name) => Kind(name) == "POSTGRESQL";

    /// <param name="settings">The section of the read journal.</param>
    /// <exception cref="ConfigurationException">It names no database that can be read.</exception>
    internal static DatabaseKind Read(SettingReader settings) => Kind(settings.Text(Key)) switch
    {
        "SQLITE" => DatabaseKind.Sqlite,
        "POSTGRESQL" => DatabaseKind.PostgreSql,
        _ => throw settings.Refused(
            Key, $"{PostgreSql} or {Sqlite}, also with a version or driver behind a dot, as in PostgreSQL.15 or SQLite.MS: this version reads no other database"),
    };

    private static string Kind(string name) => name.Split('.')[0].ToUpperInvariant();
}
