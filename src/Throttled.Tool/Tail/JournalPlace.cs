using Microsoft.Data.SqlClient;
using Microsoft.Data.Sqlite;
using Npgsql;
using Throttled.Tool.CommandLine;

namespace Throttled.Tool.Tail;

/// <summary>Identifies the journal in a text without a password, which is the same in each run. A position is valid for this journal only.</summary>
internal static class JournalPlace
{
    /// <exception cref="CommandException">The connection string cannot be parsed.</exception>
    internal static string Of(TailSettings settings) => CommandException.OfConnection(
        () => settings.Database switch
        {
            OptionText.Sqlite => $"sqlite {FileOf(settings)} {settings.Tables.JournalTable}",
            OptionText.Postgres => $"postgres {ServerOf(settings)}",
            _ => $"sqlserver {SqlServerOf(settings)}",
        },
        settings.Source);

    private static string FileOf(TailSettings settings)
    {
        var source = new SqliteConnectionStringBuilder(settings.Connection).DataSource;
        if (source.StartsWith("file:", StringComparison.OrdinalIgnoreCase) || source.Length == 0)
            return source;
        return File.Exists(source)
            ? File.ResolveLinkTarget(source, returnFinalTarget: true)?.FullName ?? Path.GetFullPath(source)
            : Path.GetFullPath(source);
    }

    // The case of a host name does not matter; the case of a socket's folder does.
    private static string? HostOf(NpgsqlConnectionStringBuilder server) =>
        server.Host is { } host && !host.StartsWith('/') ? host.ToLowerInvariant() : server.Host;

    // The login may have another default database, so a missing name stays missing.
    private static string SqlServerOf(TailSettings settings)
    {
        var server = new SqlConnectionStringBuilder(settings.Connection);
        var schema = settings.Tables.Schema is { } given ? $"{given}." : "";
        return $"{server.DataSource.ToLowerInvariant()}/{server.InitialCatalog} {schema}{settings.Tables.JournalTable}";
    }

    private static string ServerOf(TailSettings settings)
    {
        var server = new NpgsqlConnectionStringBuilder(settings.Connection);
        // As in the driver, the default name of the database is the user's name.
        var database = server.Database ?? server.Username ?? Environment.GetEnvironmentVariable("PGUSER") ?? Environment.UserName;
        var schema = settings.Tables.Schema ?? server.SearchPath;
        return FormattableString.Invariant(
            $"{HostOf(server)}:{server.Port}/{database} {(schema is null ? "" : $"{schema}.")}{settings.Tables.JournalTable}");
    }
}
