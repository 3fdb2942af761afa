using Npgsql;

namespace Akka.Persistence.Query.Throttled.Tests.Journals;

/// <summary>PostgreSQL, written by Akka.Persistence.Sql with its tag table.</summary>
public sealed class PostgreSqlTagTable : IWrittenJournal
{
    public static string? SkipReason => PostgreSqlJournals.SkipReason;

    public static WrittenJournal New() => PostgreSqlJournals.New("default", "TagTable");
}

/// <summary>PostgreSQL, written by Akka.Persistence.Sql with tags in a column.</summary>
public sealed class PostgreSqlCsv : IWrittenJournal
{
    public static string? SkipReason => PostgreSqlJournals.SkipReason;

    public static WrittenJournal New() => PostgreSqlJournals.New("default", "Csv");
}

/// <summary>PostgreSQL in the layout of the older plugin, which Akka.Persistence.Sql writes too.</summary>
public sealed class PostgreSqlLegacy : IWrittenJournal
{
    public static string? SkipReason => PostgreSqlJournals.SkipReason;

    public static WrittenJournal New() => PostgreSqlJournals.New("postgresql", "Csv");
}

internal static class PostgreSqlJournals
{
    internal static string? SkipReason { get; } = new PostgreSqlFactAttribute().Skip;

    internal static WrittenJournal New(string layout, string tagMode)
    {
        // The driver would keep the write plugin's connections for minutes, and every database has a pool of its own.
        var database = SharedServer.Server.CreateDatabase() + ";Maximum Pool Size=4";
        return AkkaPersistenceSql.Of(database, "PostgreSQL.15", layout, tagMode, () => Forget(database));
    }

    private static void Forget(string database)
    {
        using var connection = new NpgsqlConnection(database);
        NpgsqlConnection.ClearPool(connection);
    }
}
