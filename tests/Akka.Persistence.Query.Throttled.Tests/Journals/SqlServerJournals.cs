using Akka.Configuration;
using Microsoft.Data.SqlClient;
using Throttled.Journal.SqlServer.Tests;

namespace Akka.Persistence.Query.Throttled.Tests.Journals;

/// <summary>SQL Server, written by Akka.Persistence.Sql with its tag table.</summary>
public sealed class SqlServerTagTable : IWrittenJournal
{
    public static string? SkipReason => SqlServerTests.SkipReason;

    public static WrittenJournal New() => SqlServerJournals.New("default", "TagTable");
}

/// <summary>SQL Server in the layout of the older plugin, which Akka.Persistence.Sql writes too.</summary>
public sealed class SqlServerLegacy : IWrittenJournal
{
    public static string? SkipReason => SqlServerTests.SkipReason;

    public static WrittenJournal New() => SqlServerJournals.New("sql-server", "Csv");
}

/// <summary>Databases on the server that all tests share.</summary>
internal static class SqlServerJournals
{
    private static readonly Lazy<TestServer> Only = new(Start);

    internal static string CreateDatabase() => Only.Value.CreateDatabase();

    internal static void Drop(string database)
    {
        // The write plugins leave their connections in the pool of the driver.
        using (var connection = new SqlConnection(database))
            SqlConnection.ClearPool(connection);
        Only.Value.Drop(database);
    }

    /// <summary>Escapes a text for quotes in HOCON.</summary>
    internal static string Hocon(string text) => text.Replace("\\", "\\\\", StringComparison.Ordinal).Replace("\"", "\\\"", StringComparison.Ordinal);

    internal static WrittenJournal New(string layout, string tagMode)
    {
        var database = new SqlConnectionStringBuilder(CreateDatabase()) { Pooling = true, MaxPoolSize = 4 }.ConnectionString;
        var journal = AkkaPersistenceSql.Of(Hocon(database), "SqlServer.2019", layout, tagMode, () => Drop(database));
        // No test reads snapshots, and they are stored by MERGE, which Babelfish does not have.
        var snapshots = ConfigurationFactory.ParseString("akka.persistence.snapshot-store.plugin = akka.persistence.snapshot-store.inmem");
        return journal with { Config = snapshots.WithFallback(journal.Config) };
    }

    private static TestServer Start()
    {
        var server = TestServer.Start();
        AppDomain.CurrentDomain.ProcessExit += (_, _) => server.Dispose();
        return server;
    }
}
