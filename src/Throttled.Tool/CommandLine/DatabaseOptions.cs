using System.CommandLine;

namespace Throttled.Tool.CommandLine;

/// <summary>The options that say which database a command is about.</summary>
internal static class DatabaseOptions
{
    internal static readonly Option<string?> Database = new("--database") { Description = "sqlite, postgres or sqlserver", HelpName = "NAME" };

    private static readonly string[] Kinds = [OptionText.Sqlite, OptionText.Postgres, OptionText.SqlServer];
    private static readonly string Listed = $"{string.Join(", ", Kinds.SkipLast(1))} or {Kinds[^1]}";

    internal static readonly Option<string?> Connection = new("--connection")
    {
        Description = "Connection string: \"Data Source=journal.db\", \"Host=…;Username=…;Password=…;Database=…\", or \"Server=…;User ID=…;Password=…;Database=…\". "
            + $"By default ${PostgreSqlServer.Variable} for postgres, and ${SqlServerAddress.Variable} for sqlserver",
        HelpName = "STRING",
    };

    internal static readonly Option<string?> Config = new("--config")
    {
        Description = "The application's configuration file, instead of --connection: HOCON with a journal of Akka.NET, or appsettings.json",
        HelpName = "FILE",
    };

    internal static readonly Option<string?> Entry = new("--config-entry")
    {
        Description = "What to use of --config: the path of a read journal, by default akka.persistence.query.journal.throttled; or the name of a connection string",
        HelpName = "NAME",
    };

    internal static readonly Option<long?> Shard = NumberOption.Optional(
        "--shard", "if the journal is not sharded", (0, JournalSlices.Count - 1), "The number of the shard of a sharded journal, from 0; only with --config");

    /// <summary>For a command about a journal.</summary>
    internal static IEnumerable<Option> OfJournal => [Database, Connection, Config, Entry, Shard];

    /// <summary>Whether the command line names a journal's database.</summary>
    internal static bool IsGiven(ParseResult parsed) => new[] { Database, Connection, Config }.Any(option => parsed.GetValue(option) is not null);

    /// <summary>Finds the database.</summary>
    /// <param name="parsed">The command line.</param>
    /// <param name="connection">The option of the connection string.</param>
    /// <exception cref="CommandException">An option is missing or wrong, or the configuration does not name one database.</exception>
    internal static DatabaseChoice Read(ParseResult parsed, Option<string?> connection)
    {
        var given = OptionText.Named(parsed, connection);
        var entry = OptionText.Named(parsed, Entry);
        var shard = parsed.CommandResult.Command.Options.Contains(Shard) ? (int?)parsed.GetValue(Shard) : null;
        if (OptionText.Named(parsed, Config) is { } file)
            return given is null ? Chosen(parsed, file, Pick(parsed, file, ConfigFile.Read(file, entry), shard)) : throw new CommandException(
                $"{connection.Name} and --config are given; they exclude each other. Leave one out.");
        if (entry is not null)
            throw new CommandException($"--config-entry is '{entry}', and --config is missing; give the file too, or leave --config-entry out.");
        if (shard is not null)
            throw new CommandException($"--shard is {shard}, and --config is missing; give the file too, or the connection string of that shard.");
        return new() { Kind = KindOf(parsed) ?? throw new CommandException($"--database is missing; it must be {Listed}."), Connection = given };
    }

    private static string? KindOf(ParseResult parsed) => OptionText.OneOf(parsed, Database, Kinds);

    private static DatabaseChoice Chosen(ParseResult parsed, string file, ConfiguredConnection configured) => (KindOf(parsed), configured.Kind) switch
    {
        _ when string.IsNullOrWhiteSpace(configured.ConnectionString) => throw new CommandException($"{configured.Source} is empty. Give --connection, or another file."),
        (null, null) => throw new CommandException($"--database is missing, and {configured.Source} does not name the kind of database; it must be {Listed}."),
        ({ } asked, { } found) when asked != found => throw new CommandException($"--database is {asked}, and {configured.Source} is the connection string of {found}. Leave --database out."),
        var (asked, found) => new()
        {
            Kind = (found ?? asked)!,
            Connection = configured.ConnectionString,
            Source = configured.Source,
            Layout = configured.Layout,
            Options = configured.Options,
        },
    };

    private static ConfiguredConnection Pick(ParseResult parsed, string file, IReadOnlyList<ConfiguredConnection> databases, int? shard) => (databases, shard) switch
    {
        ([var only], null) => only,
        ([_], { } number) => throw new CommandException($"--shard is {number}, and the journal of '{file}' is not sharded. Leave --shard out."),
        (_, null) when !parsed.CommandResult.Command.Options.Contains(Shard) => throw new CommandException(
            $"The journal of '{file}' has {databases.Count} shards, and a read model is in one database. Give --connection with that of the read model."),
        (_, null) => throw new CommandException($"The journal of '{file}' has {databases.Count} shards; give --shard from 0 to {databases.Count - 1}."),
        (_, { } number) when number < databases.Count => databases[number],
        (_, { } number) => throw new CommandException($"--shard is {number}; it must be from 0 to {databases.Count - 1}, because the journal of '{file}' has {databases.Count} shards."),
    };
}

/// <summary>The database that a command is about.</summary>
internal sealed record DatabaseChoice
{
    /// <summary>sqlite, postgres or sqlserver.</summary>
    public required string Kind { get; init; }

    /// <summary>The connection string; null if neither option gives one. The environment variable may give it then.</summary>
    public required string? Connection { get; init; }

    /// <summary>Where the connection string comes from, for messages.</summary>
    public string Source { get; init; } = DatabaseOptions.Connection.Name;

    /// <summary>The layout of the tables in the configuration; null if there is none.</summary>
    public string? Layout { get; init; }

    /// <summary>The options of the application's read journal; null if the configuration has none.</summary>
    public JournalOptions? Options { get; init; }

    /// <summary>The application's options for the journal. Names of tables on the command line replace those of the configuration.</summary>
    internal JournalOptions OptionsFor(ParseResult parsed) =>
        (Options ?? new()) with { Tables = TableOptions.Read(parsed, Kind, Options?.Tables) };

    internal string LayoutFor(ParseResult parsed) => TableOptions.Given(parsed) ?? Layout ?? TableOptions.LayoutOf(parsed);
}
