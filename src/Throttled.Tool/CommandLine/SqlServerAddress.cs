using System.Data.Common;
using Microsoft.Data.SqlClient;

namespace Throttled.Tool.CommandLine;

/// <summary>A SQL Server that an option names: how to read the connection string, and what its errors mean.</summary>
internal static class SqlServerAddress
{
    /// <summary>The environment variable that takes the place of a missing --connection.</summary>
    internal const string Variable = "THROTTLED_SQLSERVER";

    private const string Form = "\"Server=…;User ID=…;Password=…;Database=…\"";

    /// <summary>Reads the connection string of an option; null for that of the environment variable.</summary>
    /// <exception cref="CommandException">There is no connection string, or it names no server.</exception>
    internal static SqlConnectionStringBuilder Read(string source, string? connection)
    {
        var given = connection ?? Environment.GetEnvironmentVariable(Variable);
        if (string.IsNullOrWhiteSpace(given))
            throw new CommandException($"{source} is missing; --database sqlserver needs it. Give {Form}, or set {Variable}.");
        try
        {
            var parsed = new SqlConnectionStringBuilder(given);
            return string.IsNullOrWhiteSpace(parsed.DataSource)
                ? throw new CommandException($"{source} has no Server; it must name the server. Write it as {Form}.")
                : parsed;
        }
        catch (Exception error) when (error is ArgumentException or FormatException or KeyNotFoundException)
        {
            throw new CommandException($"{source} cannot be read: {Sentence.Of(error.Message)} Write it as {Form}.", error);
        }
    }

    /// <summary>
    /// An error that names the server and says what to do. If a table is missing, <paramref name="tables"/> says what to do; if a right is missing,
    /// <paramref name="rights"/> does.
    /// </summary>
    internal static CommandException Explain(DbException error, string tables, SqlConnectionStringBuilder server, string source,
        string rights = "See docs/sql/reader-sqlserver.sql.")
    {
        // https://learn.microsoft.com/sql/relational-databases/errors-events/database-engine-events-and-errors
        var remedy = error switch
        {
            SqlException { Number: 18456 } => $"it refuses the login of '{server.UserID}'. Correct User ID and Password.",
            SqlException { Number: 4060 } => $"it has no database '{server.InitialCatalog}' that the login may open. Create it, or correct Database.",
            SqlException { Number: 229 } => $"'{server.UserID}' lacks a right. {rights}",
            SqlException { Number: 208 } => tables,
            // The driver's own errors: their numbers are those of the operating system.
            SqlException { Class: >= 20 } => "the server cannot be reached. Start it, or correct Server.",
            _ => "it refused a statement. See the server's log.",
        };
        return new($"{source} names {server.DataSource}; {remedy} The driver says: {Sentence.Of(error.Message)}", error);
    }
}
