using System.CommandLine;
using Throttled.Tool.CommandLine;

namespace Throttled.Tool.Tail;

internal static class TailOptions
{
    internal static readonly Option<bool> All = new("--all") { Description = "All events, in the order of the journal" };

    internal static readonly Option<string?> Tag = new("--tag") { Description = "The events with a tag, in the order of the journal", HelpName = "TAG" };

    internal static readonly Option<string?> Id =
        new("--id") { Description = "The events of one persistence id, in the order of their sequence numbers", HelpName = "ID" };

    internal static readonly Option<string?> Slices =
        new("--slices") { Description = "The events of a range of the 1,024 slices, in the order of the journal", HelpName = "MIN-MAX" };

    internal static readonly Option<bool> Ids = new("--ids") { Description = "The persistence ids, each once, in no particular order" };

    internal static readonly Option<long?> After = NumberOption.Optional(
        "--after", "to begin at the first event", (0, NumberOption.Any),
        "Begin after this ordering, or with --id after this sequence number; a position in the --resume file wins");

    internal static readonly Option<bool> Current = new("--current") { Description = "End at the journal end instead of following it; wait up to 30 s for a database that is down" };

    internal static readonly Option<long?> Limit = NumberOption.Optional("--limit", "for all", (1, NumberOption.Any), "End after this many lines");

    internal static readonly Option<string?> Resume = new("--resume")
    {
        Description = "Go on after the position in this file, and store the last printed position in it. "
            + "With a pipe, what was written counts as printed, even if it was not read: use --limit instead of head",
        HelpName = "FILE",
    };

    internal static readonly Option<bool> Json =
        new("--json") { Description = "One JSON object per line; a payload that is JSON is a value, other text a string, and all others come as payloadBase64" };

    internal static readonly Option<bool> Full = new("--full") { Description = "Print whole lines, even if the terminal is narrower" };

    internal static IEnumerable<Symbol> Each =>
    [
        .. DatabaseOptions.OfJournal, All, Tag, Id, Slices, Ids, After, Current, Limit, Resume, .. TableOptions.All, PayloadDecoder.Option, Json, Full,
    ];
}
