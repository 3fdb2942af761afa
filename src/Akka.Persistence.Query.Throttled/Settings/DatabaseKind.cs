using System.Data.Common;
using Akka.Configuration;
using Throttled.Journal.PostgreSql;
using Throttled.Journal.SqlServer;

namespace Akka.Persistence.Query.Throttled.Settings;

internal enum DatabaseKind
{
    Sqlite,
    PostgreSql,
    SqlServer,
}

/// <summary>linq2db's names of databases, which Akka.Persistence.Sql uses: the kind, then a dot and a version or driver.</summary>
internal static class ProviderName
{
    internal const string Sqlite = "SQLite";
    internal const string PostgreSql = "PostgreSQL";
    internal const string SqlServer = "SqlServer";

    private const string Key = "provider-name";

    /// <returns>Null if the name is not that of a supported database.</returns>
    internal static DatabaseKind? Of(string name) => name.Split('.')[0].ToUpperInvariant() switch
    {
        "SQLITE" => DatabaseKind.Sqlite,
        "POSTGRESQL" => DatabaseKind.PostgreSql,
        "SQLSERVER" => DatabaseKind.SqlServer,
        _ => null,
    };

    internal static DbProviderFactory DriverOf(DatabaseKind database) => database switch
    {
        DatabaseKind.PostgreSql => PostgreSqlJournal.Driver,
        DatabaseKind.SqlServer => SqlServerJournal.Driver,
        _ => throw new ArgumentOutOfRangeException(nameof(database), database, "SQLite has no server."),
    };

    /// <exception cref="ConfigurationException">The setting does not name a supported database.</exception>
    internal static DatabaseKind Read(SettingReader settings) => Of(settings.Text(Key)) ?? throw settings.Invalid(
        Key,
        $"{PostgreSql}, {SqlServer} or {Sqlite}, also with a version or driver after a dot, as in PostgreSQL.15, SqlServer.2019 or SQLite.MS: this version reads no other database");

    /// <summary>The kind of database of a data source. The section need not name it.</summary>
    /// <exception cref="ConfigurationException">
    /// The section does not name a supported database, or the data source is another driver's.
    /// </exception>
    internal static DatabaseKind Read(SettingReader settings, DbDataSource dataSource)
    {
        if (settings.Text(Key).Length > 0)
            return Read(settings);
        if (PostgreSqlJournal.Takes(dataSource))
            return DatabaseKind.PostgreSql;
        return SqlServerJournal.Takes(dataSource) ? DatabaseKind.SqlServer : throw new ConfigurationException(
            $"The data source of '{settings.Path}': The data source is a {dataSource.GetType().FullName}; it must be an Npgsql.NpgsqlDataSource, "
            + "or create Microsoft.Data.SqlClient.SqlConnections, as the data sources of SqlClientFactory do.");
    }
}
