using System.Data.Common;
using System.Net.Sockets;
using BankAccounts.Settings;
using Npgsql;

namespace BankAccounts.Databases;

/// <summary>Which server it is, and what to do where it cannot be used.</summary>
internal sealed class PostgreSqlSettings
{
    private const string Form = "\"Host=…;Username=…;Password=…;Database=…\"";
    private const string Variable = "THROTTLED_POSTGRES";

    private readonly NpgsqlConnectionStringBuilder _readModel;

    private PostgreSqlSettings(NpgsqlConnectionStringBuilder readModel, NpgsqlConnectionStringBuilder journal) =>
        (_readModel, Journal) = (readModel, journal.ConnectionString);

    internal string ReadModel => _readModel.ConnectionString;

    internal string Journal { get; }

    /// <summary>The first schema of the search path, where tables are made; null for the server's default.</summary>
    internal string? Schema => _readModel.SearchPath?.Split(',')[0].Trim();

    /// <exception cref="BankException">A connection string names no server.</exception>
    internal static PostgreSqlSettings Read(BankSettings settings)
    {
        var given = settings.Connection ?? Environment.GetEnvironmentVariable(Variable);
        if (string.IsNullOrWhiteSpace(given))
            throw new BankException($"--connection is missing; --database postgres needs it. Give {Form}, or set {Variable}.");
        var readModel = Parse("--connection", given);
        return new(readModel, settings.Journal is { } journal ? Parse("--journal", journal) : Parse("--connection", given));
    }

    /// <summary>The same server, with the read model in a schema of its own.</summary>
    internal static string InSchema(BankSettings settings, string schema) =>
        new NpgsqlConnectionStringBuilder(Read(settings).ReadModel) { SearchPath = schema }.ConnectionString;

    internal BankException Explain(DbException error)
    {
        var (remedy, says) = error switch
        {
            PostgresException told => (Remedy(told.SqlState), $"PostgreSQL says: {Sentence.Of(told.MessageText)}"),
            { InnerException: SocketException or TimeoutException } =>
                ("the server cannot be reached. Start it, or correct Host and Port.", Sentence.Of(error.Message)),
            _ => ("the connection failed. See the server's log.", $"The driver says: {Sentence.Of(error.Message)}"),
        };
        return new($"--connection names {_readModel.Host}:{_readModel.Port}; {remedy} {says}", error);
    }

    private static NpgsqlConnectionStringBuilder Parse(string option, string connection)
    {
        try
        {
            var parsed = new NpgsqlConnectionStringBuilder(connection);
            return string.IsNullOrWhiteSpace(parsed.Host)
                ? throw new BankException($"{option} has no Host; it must name the server. Write it as {Form}.")
                : parsed;
        }
        catch (ArgumentException error)
        {
            throw new BankException($"{option} cannot be read: {Sentence.Of(error.Message)} Write it as {Form}.", error);
        }
    }

    private string Remedy(string state) => state switch
    {
        PostgresErrorCodes.InvalidPassword or PostgresErrorCodes.InvalidAuthorizationSpecification =>
            $"it does not let '{_readModel.Username}' in. Correct Username and Password.",
        PostgresErrorCodes.InvalidCatalogName => $"it has no database '{_readModel.Database}'. Create it, or correct Database.",
        PostgresErrorCodes.InsufficientPrivilege =>
            $"'{_readModel.Username}' lacks a right. Grant CREATE on the schema, or give another Username.",
        PostgresErrorCodes.TooManyConnections => "it has no connection left. Close some, or raise max_connections.",
        PostgresErrorCodes.UndefinedTable => "it has no such table yet. Run the projection first.",
        PostgresErrorCodes.DiskFull => "its disk is full. Make room there.",
        _ => "it refused a statement. See the server's log.",
    };
}
