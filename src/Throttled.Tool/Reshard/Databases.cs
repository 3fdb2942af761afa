using Throttled.Tool.CommandLine;

namespace Throttled.Tool.Reshard;

/// <summary>The databases that the command line names.</summary>
internal sealed class Databases : IAsyncDisposable
{
    internal Databases(MoveSettings settings)
    {
        From = [.. settings.From.Select((connection, i) => Open(settings, connection, FormattableString.Invariant($"--from number {i}")))];
        To = [.. settings.To.Select((connection, i) => Open(settings, connection, FormattableString.Invariant($"--to number {i}")))];
    }

    internal IReadOnlyList<IShardDatabase> From { get; }

    internal IReadOnlyList<IShardDatabase> To { get; }

    public async ValueTask DisposeAsync()
    {
        foreach (var database in From.Concat(To))
            await database.DisposeAsync();
    }

    private static IShardDatabase Open(MoveSettings settings, string connection, string option)
    {
        try
        {
            return settings.Database == OptionText.Sqlite
                ? SqliteShard.Open(connection, settings.Tables.Names)
                : PostgreSqlShard.Open(connection, settings.Tables.Names);
        }
        catch (ArgumentException error)
        {
            throw new CommandException($"{option} cannot be used: {error.Message}{OtherKind(settings.Database, connection)}", error);
        }
    }

    private static string OtherKind(string kind, string connection)
    {
        var keys = connection.Split(';').Select(part => part.Split('=')[0].Trim().ToUpperInvariant().Replace(" ", "", StringComparison.Ordinal)).ToList();
        return kind == OptionText.Sqlite && keys.Exists(key => key is "HOST" or "SERVER" or "USERNAME") ? " Did you mean --database postgres?"
            : kind == OptionText.Postgres && keys.Exists(key => key is "DATASOURCE" or "FILENAME") ? " Did you mean --database sqlite?"
            : "";
    }
}
