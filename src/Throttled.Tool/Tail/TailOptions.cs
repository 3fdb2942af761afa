using System.CommandLine;
using Throttled.Tool.CommandLine;

namespace Throttled.Tool.Tail;

/// <summary>The options of the tail.</summary>
internal static class TailOptions
{
    internal static readonly Option<string?> Connection = new("--connection")
    {
        Description = "Connection string: \"Data Source=journal.db\", or \"Host=…;Username=…;Password=…;Database=…\". "
            + "By default $THROTTLED_POSTGRES for postgres",
        HelpName = "STRING",
    };

    internal static readonly Option<bool> All = new("--all") { Description = "All events, in the order of the journal" };

    internal static readonly Option<string?> Tag = new("--tag") { Description = "The events with a tag, in the order of the journal", HelpName = "TAG" };

    internal static readonly Option<string?> Id =
        new("--id") { Description = "The events of one persistence id, in the order of their sequence numbers", HelpName = "ID" };

    internal static readonly Option<string?> Slices =
        new("--slices") { Description = "The events of some of the 1,024 slices, in the order of the journal", HelpName = "MIN-MAX" };

    internal static readonly Option<bool> Ids = new("--ids") { Description = "The persistence ids, each once, in no particular order" };

    internal static readonly Option<long?> After = NumberOption.Optional(
        "--after", "to begin at the first event", (0, NumberOption.Any),
        "Begin behind this ordering, or with --id behind this sequence number; where --resume finds a position, that counts");

    internal static readonly Option<bool> Current = new("--current") { Description = "End at the end of the journal instead of following it; a database that is away is waited for 30 s" };

    internal static readonly Option<long?> Limit = NumberOption.Optional("--limit", "for all", (1, NumberOption.Any), "Print so many and end");

    internal static readonly Option<string?> Resume = new("--resume")
    {
        Description = "Go on behind the position in this file, and keep in it the position of what was printed. "
            + "With a pipe that is what was written to it, read or not: use --limit instead of head",
        HelpName = "FILE",
    };

    internal static readonly Option<bool> Json =
        new("--json") { Description = "A JSON object a line; a payload that is no text comes as payloadBase64" };

    internal static readonly Option<bool> Full = new("--full") { Description = "Lines whole, where the terminal is narrower" };

    internal static IEnumerable<Symbol> Each =>
    [
        OptionText.Database, Connection, All, Tag, Id, Slices, Ids, After, Current, Limit, Resume, .. TableOptions.All, Json, Full,
    ];
}
