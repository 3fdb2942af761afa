using Microsoft.Data.Sqlite;
using Npgsql;
using Throttled.Tool.CommandLine;

namespace Throttled.Tool.Tail;

/// <summary>Which journal is read, in words that are the same each time and have no password: a position means something in this one only.</summary>
internal static class JournalPlace
{
    /// <exception cref="CommandException">The connection string is none.</exception>
    internal static string Of(TailSettings settings)
    {
        try
        {
            return settings.Database == OptionText.Sqlite
                ? $"sqlite {FileOf(settings)} {settings.Tables.JournalTable}"
                : $"postgres {ServerOf(settings)}";
        }
        catch (ArgumentException error)
        {
            throw CommandException.OfConnection(error);
        }
    }

    private static string FileOf(TailSettings settings)
    {
        var source = new SqliteConnectionStringBuilder(settings.Connection).DataSource;
        if (source.StartsWith("file:", StringComparison.OrdinalIgnoreCase) || source.Length == 0)
            return source;
        return File.Exists(source)
            ? File.ResolveLinkTarget(source, returnFinalTarget: true)?.FullName ?? Path.GetFullPath(source)
            : Path.GetFullPath(source);
    }

    // A name is the same in capitals; a socket's folder is not.
    private static string? HostOf(NpgsqlConnectionStringBuilder server) =>
        server.Host is { } host && !host.StartsWith('/') ? host.ToLowerInvariant() : server.Host;

    private static string ServerOf(TailSettings settings)
    {
        var server = new NpgsqlConnectionStringBuilder(settings.Connection);
        // As the driver has it: a database that is not named is called as the user is.
        var database = server.Database ?? server.Username ?? Environment.GetEnvironmentVariable("PGUSER") ?? Environment.UserName;
        var schema = settings.Tables.Schema ?? server.SearchPath;
        return FormattableString.Invariant(
            $"{HostOf(server)}:{server.Port}/{database} {(schema is null ? "" : $"{schema}.")}{settings.Tables.JournalTable}");
    }
}
