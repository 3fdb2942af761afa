using Microsoft.Data.Sqlite;
using Npgsql;
using Throttled.Tool.CommandLine;

namespace Throttled.Tool.Tail;

/// <summary>Identifies the journal in a text without a password, which is the same in each run. A position is valid for this journal only.</summary>
internal static class JournalPlace
{
    /// <exception cref="CommandException">The connection string cannot be parsed.</exception>
    internal static string Of(TailSettings settings) => CommandException.OfConnection(
        () => settings.Database == OptionText.Sqlite
            ? $"sqlite {FileOf(settings)} {settings.Tables.JournalTable}"
            : $"postgres {ServerOf(settings)}",
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
