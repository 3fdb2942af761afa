using System.Data.Common;
using System.Text.Json;
using Akka.Persistence.Query.Throttled.Settings;

namespace Throttled.Tool.CommandLine;

/// <summary>A database that the configuration of an application names.</summary>
/// <param name="Kind">sqlite, postgres or sqlserver; null if the configuration does not say.</param>
/// <param name="ConnectionString">The connection string.</param>
/// <param name="Source">The setting and the file, for messages.</param>
internal sealed record ConfiguredConnection(string? Kind, string ConnectionString, string Source)
{
    public string? Layout { get; init; }

    public JournalOptions? Options { get; init; }
}

/// <summary>
/// Reads the configuration of an application. The plugin's own code reads HOCON, so a command uses the database, the tables and the options of the
/// application. An appsettings.json has HOCON in its section <c>akka</c>, or connection strings.
/// </summary>
internal static class ConfigFile
{
    private const string Strings = "ConnectionStrings";
    private const string Root = "akka";

    private static readonly JsonDocumentOptions Lenient = new() { AllowTrailingCommas = true, CommentHandling = JsonCommentHandling.Skip };

    /// <returns>The databases of all shards in their order; one if there are no shards.</returns>
    /// <exception cref="CommandException">The file cannot be read, or it does not name a database.</exception>
    internal static IReadOnlyList<ConfiguredConnection> Read(string file, string? entry)
    {
        var text = TextOf(file);
        return file.EndsWith(".json", StringComparison.OrdinalIgnoreCase) ? OfJson(file, text, entry)
            : text.TrimStart().StartsWith('<') ? throw new CommandException($"--config is '{file}', an XML file; it must be HOCON or appsettings.json. Copy the text of its element <hocon> to a file.")
            : OfHocon(file, text, entry);
    }

    private static string TextOf(string file)
    {
        try
        {
            return File.ReadAllText(file);
        }
        catch (Exception error) when (error is IOException or UnauthorizedAccessException)
        {
            throw new CommandException($"--config is '{file}'; it cannot be read: {Sentence.Of(error.Message)} Correct the path, or give --connection.", error);
        }
    }

    private static IReadOnlyList<ConfiguredConnection> OfHocon(string file, string hocon, string? path)
    {
        try
        {
            return [.. ConfiguredDatabase.Read(hocon, path).Select(each => new ConfiguredConnection(KindOf(each.Database), each.ConnectionString, $"'{each.ConnectionSetting}' in '{file}'")
            {
                Layout = each.Layout == "sqlserver" ? "sql-server" : each.Layout,
                Options = each.Options,
            })];
        }
        catch (ArgumentException error)
        {
            throw new CommandException($"--config is '{file}': {Sentence.Of(error.Message)}", error);
        }
    }

    private static string KindOf(DatabaseKind kind) => kind switch
    {
        DatabaseKind.Sqlite => OptionText.Sqlite,
        DatabaseKind.PostgreSql => OptionText.Postgres,
        _ => OptionText.SqlServer,
    };

    private static IReadOnlyList<ConfiguredConnection> OfJson(string file, string json, string? entry)
    {
        try
        {
            using var document = JsonDocument.Parse(json, Lenient);
            var isPath = entry?.StartsWith($"{Root}.", StringComparison.Ordinal);
            // If the section has no persistence, the application sets up its journal in code.
            if (isPath != false && Member(document.RootElement, Root) is { } akka && (isPath == true || Member(akka, "persistence") is not null))
                return OfHocon(file, $"{Root} {JsonSerializer.Serialize(akka)}", entry);
            return [OfStrings(file, Member(document.RootElement, Strings), entry)];
        }
        catch (JsonException error)
        {
            throw new CommandException($"--config is '{file}'; it is not JSON: {Sentence.Of(error.Message)}", error);
        }
    }

    private static ConfiguredConnection OfStrings(string file, JsonElement? section, string? name)
    {
        var strings = section is { ValueKind: JsonValueKind.Object } there
            ? there.EnumerateObject().Where(each => each.Value.ValueKind == JsonValueKind.String).DistinctBy(each => each.Name, StringComparer.OrdinalIgnoreCase)
                .ToDictionary(each => each.Name, each => each.Value.GetString()!, StringComparer.OrdinalIgnoreCase)
            : [];
        if (strings.Count == 0)
            throw new CommandException($"--config is '{file}', which has neither {Strings} nor akka.persistence. Give another file, or --connection.");
        if (name is null && strings.Count > 1)
            throw new CommandException($"--config is '{file}', which has {strings.Count} connection strings; give --config-entry with one of {string.Join(", ", strings.Keys)}.");
        var chosen = name ?? strings.Keys.Single();
        return strings.TryGetValue(chosen, out var connection)
            ? new(Guess(connection), connection, $"'{Strings}:{chosen}' in '{file}'")
            : throw new CommandException($"--config-entry is '{chosen}', and '{file}' has no such connection string; it has {string.Join(", ", strings.Keys)}.");
    }

    // Only PostgreSQL's connection strings have a Host, and only SQL Server's an Initial Catalog. A Data Source may be a file or a server.
    private static string? Guess(string connection)
    {
        try
        {
            var keys = new DbConnectionStringBuilder { ConnectionString = connection };
            return keys.ContainsKey("Host") ? OptionText.Postgres : keys.ContainsKey("Initial Catalog") ? OptionText.SqlServer : null;
        }
        catch (ArgumentException)
        {
            // The driver's own message says more.
            return null;
        }
    }

    private static JsonElement? Member(JsonElement of, string name) => of.ValueKind == JsonValueKind.Object
        ? of.EnumerateObject().Where(each => each.Name.Equals(name, StringComparison.OrdinalIgnoreCase)).Select(each => (JsonElement?)each.Value).FirstOrDefault()
        : null;
}
