using System.CommandLine;
using System.Globalization;
using Throttled.Tool.CommandLine;

namespace DigitalTwins.Settings;

internal sealed class TwinsOptions
{
    private const int StandardWriters = 6;
    private const int StandardDelay = 5;
    private const int MostDelay = 1_000;

    private readonly Option<int> _nodes = NumberOption.Create("--nodes", 2, (1, 16), "Processes that run the devices, as nodes of one cluster");
    private readonly Option<int> _databases = NumberOption.Create("--databases", 2, (1, 16), "PostgreSQL servers among which the journal is divided");
    private readonly Option<int> _devices = NumberOption.Create("--devices", 10_000, (1, 10_000_000), "Number of devices, each a persistent actor");
    private readonly Option<int> _clients = NumberOption.Create("--clients", 64, (1, 10_000), "Requests at once: each client sends one after the other");
    private readonly Option<int> _seconds = NumberOption.Create("--seconds", 30, (1, 86_400), "How long requests are counted, after a warm-up");

    private readonly Option<TimeSpan> _commitDelay = new("--commit-delay")
    {
        Description = "The least time of each commit of events, which a trigger adds; 0ms for the machine's own",
        HelpName = "TIME",
        DefaultValueFactory = _ => TimeSpan.FromMilliseconds(StandardDelay),
        CustomParser = result =>
        {
            var text = result.Tokens.Count == 1 ? result.Tokens[0].Value : "";
            if (Milliseconds(text) is { } delay)
                return TimeSpan.FromMilliseconds(delay);
            result.AddError($"--commit-delay is '{text}'; it must be a whole number of milliseconds from 0ms to {MostDelay:N0}ms. Leave it out for {StandardDelay}ms.");
            return default;
        },
    };

    private readonly Option<int> _batch = NumberOption.Create(
        "--batch", 100, (1, 10_000), "Events that one transaction may append; the default is that of Akka.Persistence.Sql. 1: each write is a commit of its own");

    private readonly Option<int> _writers = NumberOption.Create(
        "--writers", StandardWriters, (1, 1_000), "Transactions at once that append to a database, of all nodes together; at least one for each node");

    private readonly Option<bool> _json = new("--json") { Description = "Print only the result, as one line of JSON" };

    internal IEnumerable<Option> All => [_nodes, _databases, _devices, _clients, _seconds, _commitDelay, _batch, _writers, _json];

    /// <exception cref="CommandException">The options do not fit each other.</exception>
    internal TwinsSettings Read(ParseResult parsed)
    {
        var (nodes, writers) = (parsed.GetValue(_nodes), parsed.GetValue(_writers));
        if (parsed.GetResult(_writers) is not { Implicit: false })
            writers = Math.Max(writers, nodes);
        return writers >= nodes
            ? new()
            {
                Nodes = nodes,
                Databases = parsed.GetValue(_databases),
                Devices = parsed.GetValue(_devices),
                Clients = parsed.GetValue(_clients),
                Time = TimeSpan.FromSeconds(parsed.GetValue(_seconds)),
                CommitDelay = parsed.GetValue(_commitDelay),
                Batch = parsed.GetValue(_batch),
                Writers = writers,
                Json = parsed.GetValue(_json),
            }
            : throw new CommandException($"--writers is {writers}, but --nodes is {nodes}; each node needs one. Give --writers {nodes} or more.");
    }

    private static int? Milliseconds(string text) =>
        int.TryParse(text.EndsWith("ms", StringComparison.Ordinal) ? text[..^2] : text, NumberStyles.None, CultureInfo.InvariantCulture, out var number)
        && number <= MostDelay ? number : null;
}
