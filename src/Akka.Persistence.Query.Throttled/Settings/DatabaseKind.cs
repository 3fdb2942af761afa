using System.Data.Common;
using Akka.Configuration;
using Throttled.Journal.PostgreSql;
using Throttled.Journal.SqlServer;

namespace Akka.Persistence.Query.Throttled.Settings;

/// <summary>What a journal is kept in.</summary>
internal enum DatabaseKind
{
    Sqlite,
    PostgreSql,
    SqlServer,
}

/// <summary>The names of databases as linq2db spells them, which is how Akka.Persistence.Sql is configured: the kind, then a version or driver.</summary>
internal static class ProviderName
{
    internal const string Sqlite = "SQLite";
    internal const string PostgreSql = "PostgreSQL";
    internal const string SqlServer = "SqlServer";

    private const string Key = "provider-name";

    /// <returns>Null where it names no database that can be read.</returns>
    internal static DatabaseKind? Of(string name) => name.Split('.')[0].ToUpperInvariant() switch
    {
        "SQLITE" => DatabaseKind.Sqlite,
        "POSTGRESQL" => DatabaseKind.PostgreSql,
        "SQLSERVER" => DatabaseKind.SqlServer,
        _ => null,
    };

    /// <summary>The driver of a server database.</summary>
    internal static DbProviderFactory DriverOf(DatabaseKind database) => database switch
    {
        DatabaseKind.PostgreSql => PostgreSqlJournal.Driver,
        DatabaseKind.SqlServer => SqlServerJournal.Driver,
        _ => throw new ArgumentOutOfRangeException(nameof(database), database, "SQLite has no server."),
    };

    /// <param name="settings">The section of the read journal.</param>
    /// <exception cref="ConfigurationException">It names no database that can be read.</exception>
    internal static DatabaseKind Read(SettingReader settings) => Of(settings.Text(Key)) ?? throw settings.Invalid(
        Key,
        $"{PostgreSql}, {SqlServer} or {Sqlite}, also with a version or driver behind a dot, as in PostgreSQL.15, SqlServer.2019 or SQLite.MS: this version reads no other database");

    /// <summary>What a data source leads to, where the section need not say it.</summary>
    /// <param name="settings">The section of the read journal.</param>
    /// <param name="dataSource">Where connections come from.</param>
    /// <exception cref="ConfigurationException">The section names no database that can be read, or the data source is another driver's.</exception>
    internal static DatabaseKind Read(SettingReader settings, DbDataSource dataSource)
    {
        if (settings.Text(Key).Length > 0)
            return Read(settings);
        if (PostgreSqlJournal.Takes(dataSource))
            return DatabaseKind.PostgreSql;
        return SqlServerJournal.Takes(dataSource) ? DatabaseKind.SqlServer : throw new ConfigurationException(
            $"The data source of '{settings.Path}': The data source is a {dataSource.GetType().FullName}; it must be an Npgsql.NpgsqlDataSource, "
            + "or make Microsoft.Data.SqlClient.SqlConnections, as that of SqlClientFactory does.");
    }
}
