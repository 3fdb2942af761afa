using System.CommandLine;
using CrushTest.Databases;
using Throttled.Journal;

namespace CrushTest.Settings;

/// <summary>The options that all crush tests have.</summary>
/// <param name="events">Events of each id where nothing else is said.</param>
/// <param name="page">Rows of a page where nothing else is said.</param>
/// <param name="kinds">The databases that it can run on.</param>
internal sealed class CrushOptions(int events, int page, CrushKinds kinds)
{
    private readonly Option<int> _streams = NumberOption.Create("--streams", 100_000, (1, 10_000_000), "Persistence ids, and live queries");
    private readonly Option<int> _events = NumberOption.Create("--events", events, (1, 1_000_000), "Events of each persistence id");
    private readonly Option<int> _page = NumberOption.Create("--page", page, (1, 100_000), "Rows that one query reads at a time");
    private readonly Option<int> _permits = NumberOption.Create("--permits", 100, (1, 10_000), "Statements that may run at once on each database");

    private readonly Option<string> _database =
        new("--database") { Description = kinds.Names, DefaultValueFactory = _ => kinds.First.Option };

    private readonly Option<string[]> _connections = new("--connection")
    {
        Description = $"Connection string; once for each database. By default the files named above for sqlite, and {kinds.Variables}",
        HelpName = "connection",
    };

    private readonly Option<int> _shards = NumberOption.Create(
        "--shards", 1, (1, JournalSlices.Count), "Databases that the journal is divided among; as many as there are --connection, where these are given");

    private readonly Option<int> _idle = NumberOption.Create("--idle", 5, (1, 3600), "Seconds for which the idle queries are watched");
    private readonly Option<bool> _json = new("--json") { Description = "Print the result as one JSON object, and nothing else" };

    internal void AddTo(RootCommand command)
    {
        foreach (var option in new Option[] { _streams, _events, _page, _permits, _database, _connections, _shards, _idle, _json })
            command.Options.Add(option);
    }

    /// <exception cref="CrushException">There is no such database, or there are not as many as shards.</exception>
    internal CrushSettings Read(ParseResult parsed)
    {
        var kind = kinds.Named(parsed.GetValue(_database)!);
        var connections = parsed.GetValue(_connections) ?? [];
        return new()
        {
            Streams = parsed.GetValue(_streams),
            Events = parsed.GetValue(_events),
            Page = parsed.GetValue(_page),
            Permits = parsed.GetValue(_permits),
            Kind = kind,
            Connections = connections,
            Shards = Shards(parsed, kind, connections.Length),
            Idle = TimeSpan.FromSeconds(parsed.GetValue(_idle)),
            Json = parsed.GetValue(_json),
        };
    }

    private int Shards(ParseResult parsed, CrushKind kind, int connections)
    {
        if (parsed.GetResult(_shards) is not { Implicit: false })
            return Math.Max(1, connections);
        var shards = parsed.GetValue(_shards);
        if (connections > 0 && connections != shards)
            throw new CrushException(
                $"--shards is {shards}, but --connection is given {connections} {(connections == 1 ? "time" : "times")}; each shard needs one. Leave --shards out, or give as many.");
        if (connections == 0 && shards > 1 && !kind.MakesPlaces)
            throw new CrushException(
                $"--shards is {shards}, but --connection is missing; --database {kind.Option} needs one for each shard. Give {shards}, and leave --shards out.");
        return shards;
    }
}
