using System.Data.Common;
using Throttled.Journal.Database;

namespace Throttled.Projections.Databases;

/// <summary>Checks a data source without connecting to the database, and names the database for messages.</summary>
internal static class ReadModelSource
{
    private const string Remedy = "Correct the connection string with which the data source of the read model was created.";

    /// <summary>The host or file and the database, such as <c>'app' on tcp://db:5432</c>. It never has a user or a password.</summary>
    /// <exception cref="ArgumentException">The driver refuses the connection string of the data source.</exception>
    internal static string Named(DbDataSource source, string database) => Of(source, database, static connection =>
        (connection.DataSource, connection.Database) switch
        {
            ("" or null, "" or null) => "",
            ("" or null, var database) => $"'{database}'",
            (var host, "" or null) => $"on {host}",
            var (host, database) => $"'{database}' on {host}",
        });

    /// <summary>The path of the SQLite file in quotes.</summary>
    /// <exception cref="ArgumentException">The driver refuses the connection string, or each connection would have a database of its own.</exception>
    internal static string NamedFile(DbDataSource source) => Of(source, "SQLite", static connection =>
    {
        var keys = new DbConnectionStringBuilder { ConnectionString = connection.ConnectionString };
        var isShared = Has(keys, "Cache", "Shared");
        if (string.IsNullOrEmpty(connection.DataSource))
            throw Private("is empty");
        // SQLite never shares ":memory:", whatever the cache mode is. It shares only memory that has a name.
        if (connection.DataSource == ":memory:" || (!isShared && (Has(keys, "Mode", "Memory") || IsPrivateUri(connection.DataSource))))
            throw Private($"is '{connection.DataSource}' in memory");
        return $"'{connection.DataSource}'";
    });

    private static ArgumentException Private(string found) => new(
        $"The 'Data Source' of the read model's connection string {found}, so each connection would have an empty database of its own. Set 'Data Source' to the path of a file. For a test in memory, set 'Mode=Memory;Cache=Shared' and a name.");

    // https://www.sqlite.org/inmemorydb.html
    private static bool IsPrivateUri(string path) =>
        (path.StartsWith("file::memory:", StringComparison.Ordinal)
            || (path.StartsWith("file:", StringComparison.Ordinal) && path.Contains("mode=memory", StringComparison.Ordinal)))
        && !path.Contains("cache=shared", StringComparison.Ordinal);

    private static bool Has(DbConnectionStringBuilder keys, string key, string value) =>
        keys.TryGetValue(key, out var found) && string.Equals(found.ToString(), value, StringComparison.OrdinalIgnoreCase);

    // The driver reads the connection string when it creates the connection; a wrong one is no outage, so the application must not start with it.
    private static string Of(DbDataSource source, string database, Func<DbConnection, string> name)
    {
        DbConnection connection;
        try
        {
            connection = source.CreateConnection();
        }
        catch (Exception error) when (ConnectionStringErrors.IsUnreadable(error))
        {
            throw ConnectionStringErrors.Refusal(source.ConnectionString, database, Remedy, error);
        }
        using (connection)
            return name(connection);
    }
}
