using System.CommandLine;

namespace CrushTest.Settings;

/// <summary>The options that all crush tests have.</summary>
/// <param name="events">Events of each id where nothing else is said.</param>
/// <param name="page">Rows of a page where nothing else is said.</param>
internal sealed class CrushOptions(int events, int page)
{
    private readonly Option<int> _streams = NumberOption.Create("--streams", 100_000, (1, 10_000_000), "Persistence ids, and live queries");
    private readonly Option<int> _events = NumberOption.Create("--events", events, (1, 1_000_000), "Events of each persistence id");
    private readonly Option<int> _page = NumberOption.Create("--page", page, (1, 100_000), "Rows that one query reads at a time");
    private readonly Option<int> _permits = NumberOption.Create("--permits", 100, (1, 10_000), "Statements that may run at once");

    private readonly Option<string> _database =
        new("--database") { Description = "sqlite or postgres", DefaultValueFactory = _ => "sqlite" };

    private readonly Option<string?> _connection = new("--connection")
    {
        Description = "Connection string; by default the file named above for sqlite, and $THROTTLED_POSTGRES for postgres",
    };

    private readonly Option<int> _idle = NumberOption.Create("--idle", 5, (1, 3600), "Seconds for which the idle queries are watched");
    private readonly Option<bool> _json = new("--json") { Description = "Print the result as one JSON object, and nothing else" };

    internal void AddTo(RootCommand command)
    {
        foreach (var option in new Option[] { _streams, _events, _page, _permits, _database, _connection, _idle, _json })
            command.Options.Add(option);
    }

    /// <exception cref="CrushException">There is no such database.</exception>
    internal CrushSettings Read(ParseResult parsed)
    {
        var database = parsed.GetValue(_database)!;
        if (database is not ("sqlite" or "postgres"))
            throw new CrushException($"--database is '{database}'; it must be sqlite or postgres. Leave it out for sqlite.");
        return new()
        {
            Streams = parsed.GetValue(_streams),
            Events = parsed.GetValue(_events),
            Page = parsed.GetValue(_page),
            Permits = parsed.GetValue(_permits),
            Database = database,
            Connection = parsed.GetValue(_connection),
            Idle = TimeSpan.FromSeconds(parsed.GetValue(_idle)),
            Json = parsed.GetValue(_json),
        };
    }
}
