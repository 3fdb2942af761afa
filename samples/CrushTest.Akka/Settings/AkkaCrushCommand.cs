using System.CommandLine;
using CrushTest.Akka.Journals;
using CrushTest.Databases;
using CrushTest.Settings;
using CrushTest.SqlServer.Databases;

namespace CrushTest.Akka.Settings;

/// <summary>The command line.</summary>
internal static class AkkaCrushCommand
{
    private const string About = """
        Starts very many actors at once, each with a live EventsByPersistenceId into itself, and counts what comes of it. Beside
        them in the same run: the engine without Akka, and as many empty streams of Akka into the same actors. The idle journal
        is looked at every second (refresh-interval = 1s); the crush test without Akka looks every 200 ms.

        --events 100 is the size that the test is known for, ten million events: it takes some minutes, and 2 GB each of disk
        and memory. The defaults take less than a minute.

        The journal is kept for the next run, one for each --streams, --events and --payload.
          sqlite     The file ./artifacts/crush/<streams>x<events>_<payload>.db: about 160 MB for each million events.
                     Delete the directory to be rid of them.
          postgres,  The tables crush_<streams>x<events>_<payload> and the same with _tags behind, in the database that the
          sqlserver  connection string names. To be rid of them: DROP TABLE crush_100000x10_bytes, crush_100000x10_bytes_tags;
        """;

    private static readonly Option<string> Payload = new("--payload")
    {
        Description = "bytes: byte arrays, which cost nothing to decode; int: numbers, decoded by Akka's JSON serializer",
        DefaultValueFactory = _ => "bytes",
    };

    private static readonly Option<int> Rounds = NumberOption.Create(
        "--rounds", 1, (1, 100), "Rounds of engine, empty streams and plugin in turn, whose medians are reported");

    internal static Task<int> RunAsync(string[] args)
    {
        var options = new CrushOptions(events: 10, page: 10, new(CrushKind.Sqlite, CrushKind.PostgreSql, SqlServerCrush.Kind));
        var command = new RootCommand(About);
        options.AddTo(command);
        command.Options.Add(Payload);
        command.Options.Add(Rounds);
        return CommandRun.RunAsync(
            command, args, async (parsed, cancellation) => await AkkaCrush.RunAsync(Read(options, parsed), cancellation));
    }

    private static AkkaCrushSettings Read(CrushOptions options, ParseResult parsed)
    {
        var crush = options.Read(parsed);
        if (crush.Shards > 1)
            throw new CrushException($"There are {crush.Shards} databases; the crush test with Akka reads one. Give one --connection, and no --shards.");
        var payload = AkkaPayloads.Named(parsed.GetValue(Payload)!);
        return new(crush with { Payload = payload, RefreshInterval = TimeSpan.FromSeconds(1) }, parsed.GetValue(Rounds));
    }
}

/// <summary>What to crush, and how often.</summary>
/// <param name="Crush">As in the crush test without Akka.</param>
/// <param name="Rounds">Rounds of engine, empty streams and plugin in turn.</param>
internal sealed record AkkaCrushSettings(CrushSettings Crush, int Rounds);
