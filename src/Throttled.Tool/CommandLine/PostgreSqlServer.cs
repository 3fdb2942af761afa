using System.Data.Common;
using System.Net.Sockets;
using Npgsql;

namespace Throttled.Tool.CommandLine;

/// <summary>A PostgreSQL server that an option names: how to read the connection string, and what its errors mean.</summary>
internal static class PostgreSqlServer
{
    /// <summary>The environment variable that takes the place of a missing --connection.</summary>
    internal const string Variable = "THROTTLED_POSTGRES";

    private const string Form = "\"Host=…;Username=…;Password=…;Database=…\"";

    /// <summary>Reads the connection string of an option; null for that of the environment variable.</summary>
    /// <exception cref="CommandException">There is no connection string, or it names no server.</exception>
    internal static NpgsqlConnectionStringBuilder Read(string option, string? connection)
    {
        var given = connection ?? Environment.GetEnvironmentVariable(Variable);
        if (string.IsNullOrWhiteSpace(given))
            throw new CommandException($"{option} is missing; --database postgres needs it. Give {Form}, or set {Variable}.");
        try
        {
            var parsed = new NpgsqlConnectionStringBuilder(given);
            return string.IsNullOrWhiteSpace(parsed.Host)
                ? throw new CommandException($"{option} has no Host; it must name the server. Write it as {Form}.")
                : parsed;
        }
        catch (Exception error) when (error is ArgumentException or FormatException or KeyNotFoundException)
        {
            throw new CommandException($"{option} cannot be read: {Sentence.Of(error.Message)} Write it as {Form}.", error);
        }
    }

    /// <summary>An error that names the server and says what to do. If a table is missing or is not the expected one, <paramref name="tables"/> says what to do.</summary>
    internal static CommandException Explain(DbException error, string tables, NpgsqlConnectionStringBuilder server, string source = "--connection")
    {
        var (remedy, says) = error switch
        {
            PostgresException told => (Remedy(told.SqlState, tables, server), $"PostgreSQL says: {Sentence.Of(told.MessageText)}"),
            { InnerException: SocketException or TimeoutException } =>
                ("the server cannot be reached. Start it, or correct Host and Port.", WithCause(error)),
            _ => ("the connection failed. See the server's log.", $"The driver says: {WithCause(error)}"),
        };
        return new($"{source} names {server.Host}:{server.Port}; {remedy} {says}", error);
    }

    private static string WithCause(DbException error) => Sentence.Of(error.InnerException is { } cause ? $"{error.Message}: {cause.Message}" : error.Message);

    private static string Remedy(string state, string tables, NpgsqlConnectionStringBuilder server) => state switch
    {
        PostgresErrorCodes.InvalidPassword or PostgresErrorCodes.InvalidAuthorizationSpecification =>
            $"it refuses the login of '{server.Username}'. Correct Username and Password.",
        PostgresErrorCodes.InvalidCatalogName => $"it has no database '{server.Database}'. Create it, or correct Database.",
        PostgresErrorCodes.InsufficientPrivilege =>
            $"'{server.Username}' lacks a right. Grant what the server names, or give another Username.",
        PostgresErrorCodes.TooManyConnections => "it has no connection left. Close some, or raise max_connections, or the CONNECTION LIMIT of the login or of the database.",
        PostgresErrorCodes.UndefinedTable or PostgresErrorCodes.UniqueViolation or PostgresErrorCodes.DuplicateTable => tables,
        PostgresErrorCodes.DiskFull => "its disk is full. Make room there.",
        _ => "it refused a statement. See the server's log.",
    };
}
