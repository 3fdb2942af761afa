using System.Data.Common;
using System.Security.Authentication;
using CrushTest.Settings;
using Microsoft.Data.SqlClient;
using Throttled.Journal;

namespace CrushTest.Databases;

/// <summary>Which database of which server it is, and what to do where it cannot be used.</summary>
internal sealed class SqlServerSettings
{
    private const string Form = "\"Server=…;Database=…;User ID=…;Password=…\"";

    // From this severity on the connection is gone: https://learn.microsoft.com/sql/relational-databases/errors-events/database-engine-error-severities
    private const int Fatal = 20;

    private readonly SqlConnectionStringBuilder _given;

    private SqlServerSettings(SqlConnectionStringBuilder given) => _given = given;

    internal string Connection => _given.ConnectionString;

    /// <summary>As the user knows it.</summary>
    internal string Place => $"{_given.DataSource}/{_given.InitialCatalog}";

    /// <exception cref="CrushException">The connection string names no database of a server.</exception>
    internal static SqlServerSettings Read(CrushPlace place)
    {
        if (string.IsNullOrWhiteSpace(place.Connection))
            throw new CrushException($"--connection is missing; --database sqlserver needs it. Give {Form}.");
        var given = Parse(place.Connection);
        if (string.IsNullOrWhiteSpace(given.DataSource))
            throw new CrushException($"--connection has no Server; it must name one. Write it as {Form}.");
        // Without a name it is the login's default database, which is master for administrators.
        if (string.IsNullOrWhiteSpace(given.InitialCatalog))
            throw new CrushException($"--connection has no Database; it must name the one that the crush test may write to. Write it as {Form}.");
        return new(given);
    }

    /// <summary>Whether the server refused, and the connection to it is sound.</summary>
    internal static bool IsAnswer(SqlException error) => error.Class is > 10 and < Fatal && error.Number > 0;

    /// <summary>The connection string of whoever has a name.</summary>
    internal string Named(string application) =>
        new SqlConnectionStringBuilder(Connection) { ApplicationName = application }.ConnectionString;

    internal CrushException Explain(DbException error, JournalTables tables)
    {
        var (remedy, says) = error switch
        {
            SqlException { InnerException: AuthenticationException } =>
                ("its certificate is not trusted. Install one that is, or, where you know the way to the server, add TrustServerCertificate=True.", "The driver"),
            SqlException told when IsAnswer(told) => (Remedy(told.Number, tables), "SQL Server"),
            _ => ("the server cannot be reached. Start it, or correct Server.", "The driver"),
        };
        return new($"--connection names {Place}; {remedy} {says} says: {Sentence.Of(error.Message)}", error);
    }

    // https://learn.microsoft.com/sql/relational-databases/errors-events/database-engine-events-and-errors
    private string Remedy(int number, JournalTables tables) => number switch
    {
        18452 or 18456 => $"it does not let '{_given.UserID}' in. Correct User ID and Password.",
        911 or 4060 => $"it has no database '{_given.InitialCatalog}' for '{_given.UserID}'. Create it, or correct Database.",
        229 or 230 or 262 or 2760 or 3701 => $"'{_given.UserID}' lacks a right. Grant CREATE TABLE and ALTER on the schema, or give another User ID.",
        208 or 2601 or 2627 or 2714 =>
            $"another run replaced the journal {tables.JournalTable}. Let one run at a time use a database.",
        1101 or 1105 or 9002 => "it has no room left. Make room in the database's files, or for its log.",
        10928 or 10929 or 17809 or 17810 => "it has no connection left. Close some.",
        _ => "it refused a statement. See the server's log.",
    };

    private static SqlConnectionStringBuilder Parse(string connection)
    {
        try
        {
            return new(connection);
        }
        catch (Exception error) when (error is ArgumentException or FormatException or KeyNotFoundException)
        {
            throw new CrushException($"--connection cannot be read: {Sentence.Of(error.Message)} Write it as {Form}.", error);
        }
    }
}
