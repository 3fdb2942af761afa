using System.CommandLine;
using DigitalTwins.Nodes;
using Throttled.Tool.CommandLine;

namespace DigitalTwins.Settings;

/// <summary>The command line: the benchmark, and a hidden verb that runs one node of it.</summary>
internal static class TwinsCommand
{
    private const string About = """
        Simulates devices as sharded persistent actors. Each device keeps its last ten updates; an update is an event of 500 bytes.
        A load generator sends 75 % reads and 25 % updates to random devices. It is a process of its own, this one.

        The command starts PostgreSQL servers from this machine's programs, one for each part of the journal and one for the read
        model. Then it starts the nodes as child processes. Everything is on the loopback interface, on free ports from 12000 to
        31999, with its data in a temporary directory. At the end, all of it is stopped and removed, also after Ctrl+C.

        At the end, the read model (updates and last value of each device) is compared with the journal.

        Exit codes: 0 every request was answered and the read model is right; 1 not so; 2 the options are wrong, or a server or
        a node failed; 130 interrupted.
        """;

    internal static Task<int> RunAsync(string[] args)
    {
        var options = new TwinsOptions();
        var root = Create(options);
        root.SetAction((parsed, cancellation) => CommandRun.RunAsync(parsed, async () =>
        {
            var report = await Twins.RunAsync(options.Read(parsed), cancellation);
            return report.IsFlawless ? 0 : CommandRun.Wrong;
        }, cancellation));
        root.Subcommands.Add(NodeVerb());
        // After Ctrl+C, nodes and servers have this long to end.
        return CommandRun.RunAsync(root, args, new() { ProcessTerminationTimeout = TimeSpan.FromSeconds(60) });
    }

    /// <exception cref="CommandException">The options are wrong.</exception>
    internal static TwinsSettings Read(params string[] args)
    {
        var options = new TwinsOptions();
        var parsed = Create(options).Parse(args);
        return CommandRun.Refusal(parsed) is { } refusal ? throw new CommandException(refusal) : options.Read(parsed);
    }

    private static RootCommand Create(TwinsOptions options)
    {
        var root = new RootCommand(About);
        foreach (var option in options.All)
            root.Options.Add(option);
        return root;
    }

    // The name is only for lists of processes; the settings come through the standard input.
    private static Command NodeVerb()
    {
        var verb = CommandRun.Create("node", "Runs one node. The benchmark starts it.", [new Argument<string>("name")], (_, _) => NodeHost.RunAsync());
        verb.Hidden = true;
        return verb;
    }
}
