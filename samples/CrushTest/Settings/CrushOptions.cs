using System.CommandLine;
using CrushTest.Databases;
using Throttled.Tool.CommandLine;

namespace CrushTest.Settings;

internal sealed class CrushOptions
{
    private const string Existing = "Akka.Persistence.Sql";

    private const string Streams = "streams";
    private const string Subscriptions = "subscriptions";
    private const string Both = "both";

    private readonly Option<int> _streams = NumberOption.Create(
        "--actors", 100_000, (1, 10_000_000), "Number of persistence ids, each with an actor and its live query");

    private readonly Option<string> _readers = Text(
        "--readers", $"What the actors have: {Streams}, {Subscriptions}, or {Both} in turn. A stream takes some 10 KB, so a million actors need {Subscriptions}", Both);

    private readonly Option<int> _events = NumberOption.Create("--events", 50, (1, 1_000_000), "Number of events of each persistence id");
    private readonly Option<int> _page = NumberOption.Create("--page", 10, (1, 100_000), "Rows that one query reads at a time (max-buffer-size)");
    private readonly Option<int> _permits = NumberOption.Create(
        "--permits", 100, (1, 10_000), "Statements that may run at once on each database (max-concurrent-queries)");

    private readonly Option<string> _database = Text("--database", "sqlite, postgres or sqlserver", "sqlite");

    private readonly Option<string[]> _connections = new("--connection")
    {
        Description = $"Connection string; give it once for each database. Default: the files above for sqlite, ${PostgreSqlServer.Variable} for postgres",
        HelpName = "connection",
    };

    private readonly Option<int> _shards = NumberOption.Create(
        "--shards", 1, (1, JournalSlices.Count), "Number of databases that the journal is divided among. If you give --connection, there is one for each");

    private readonly Option<string> _payload = Text(
        "--payload", $"What is stored and decoded: {string.Join(", ", CrushPayload.Names)}. Only bytes needs no decoding; int and record alone are in the JSON of Akka's default serializer", "bytes");

    private readonly Option<int> _rounds = NumberOption.Create(
        "--rounds", 1, (1, 100), "Rounds of each reader, in turn; the report has their medians. With --engine the default is 3");
    private readonly Option<int> _idle = NumberOption.Create("--idle", 5, (1, 3600), "Seconds to watch the idle queries");
    private readonly Option<bool> _engine = new("--engine") { Description = "Run without Akka: only the raw floor and the engine" };
    private readonly Option<bool> _memory = new("--memory") { Description = "Also measure the memory of idle streams and subscriptions. --engine always measures the memory of idle queries" };

    private readonly Option<string?> _beside = new("--beside")
    {
        Description = $"{Existing}: run its live queries too, with the same page size and permits. Once with its default time-out, once with an hour",
    };

    private readonly Option<int> _limit = NumberOption.Create("--limit", 600, (1, 86_400), "Time limit of each run of --beside, in seconds");
    private readonly Option<bool> _json = new("--json") { Description = "Print only the result, as one JSON object" };

    internal CrushOptions() => _streams.Aliases.Add("--streams");

    internal IEnumerable<Option> All =>
    [
        _streams, _readers, _events, _page, _permits, _database, _connections, _shards, _payload, _rounds, _idle, _engine, _memory, _beside, _limit, _json,
    ];

    /// <exception cref="CrushException">The options do not fit each other.</exception>
    internal CrushSettings Read(ParseResult parsed)
    {
        var kind = CrushKind.Named(parsed.GetValue(_database)!);
        var connections = parsed.GetValue(_connections) ?? [];
        var (shards, isAlone) = (Shards(parsed, kind, connections.Length), parsed.GetValue(_engine));
        var readers = Readers(parsed, isAlone);
        return new()
        {
            Streams = parsed.GetValue(_streams),
            Events = parsed.GetValue(_events),
            Page = parsed.GetValue(_page),
            Permits = parsed.GetValue(_permits),
            Kind = kind,
            Connections = connections,
            Shards = shards,
            Payload = CrushPayload.Named(parsed.GetValue(_payload)!),
            HasStreams = !isAlone && readers is (Streams or Both),
            HasSubscriptions = !isAlone && readers is (Subscriptions or Both),
            Rounds = isAlone && parsed.GetResult(_rounds) is not { Implicit: false } ? 3 : parsed.GetValue(_rounds),
            Idle = TimeSpan.FromSeconds(parsed.GetValue(_idle)),
            Memory = parsed.GetValue(_memory),
            ExistingLimit = ExistingLimit(parsed, shards),
            Json = parsed.GetValue(_json),
        };
    }

    private static Option<string> Text(string name, string description, string standard) =>
        new(name) { Description = description, DefaultValueFactory = _ => standard };

    private string Readers(ParseResult parsed, bool isAlone)
    {
        var readers = parsed.GetValue(_readers)!.ToLowerInvariant();
        if (readers is not (Streams or Subscriptions or Both))
            throw new CrushException($"--readers is '{readers}'; it must be {Streams}, {Subscriptions} or {Both}. Leave it out for {Both}.");
        if (isAlone && parsed.GetResult(_readers) is { Implicit: false })
            throw new CrushException($"--readers is '{readers}', but --engine runs without Akka. Leave one of them out.");
        if (readers == Subscriptions && parsed.GetValue(_beside) is { } beside)
            throw new CrushException($"--beside is '{beside}', which has only streams, but --readers is {Subscriptions}. Leave one of them out.");
        return readers;
    }

    private int Shards(ParseResult parsed, CrushKind kind, int connections)
    {
        if (parsed.GetResult(_shards) is not { Implicit: false })
            return Math.Max(1, connections);
        var shards = parsed.GetValue(_shards);
        if (connections > 0 && connections != shards)
            throw new CrushException(
                $"--shards is {shards}, but --connection is given {connections} {(connections == 1 ? "time" : "times")}; each shard needs one. Leave --shards out, or give {shards}.");
        if (connections == 0 && shards > 1 && !kind.MakesPlaces)
            throw new CrushException(
                $"--shards is {shards}, but --connection is missing; --database {kind.Option} needs one for each shard. Give {shards}, and leave --shards out.");
        return shards;
    }

    private TimeSpan? ExistingLimit(ParseResult parsed, int shards)
    {
        if (parsed.GetValue(_beside) is not { } beside)
            return null;
        if (!beside.Equals(Existing, StringComparison.OrdinalIgnoreCase))
            throw new CrushException($"--beside is '{beside}'; it must be {Existing}. Leave it out to run this plugin alone.");
        if (parsed.GetValue(_engine))
            throw new CrushException($"--beside is '{beside}', but --engine runs without Akka. Leave one of them out.");
        if (shards > 1)
            throw new CrushException($"--beside is '{beside}', which can read only one database, but there are {shards}. Give one --connection and no --shards, or leave --beside out.");
        return TimeSpan.FromSeconds(parsed.GetValue(_limit));
    }
}
