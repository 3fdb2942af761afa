using System.CommandLine;

namespace Tail.Settings;

/// <summary>The options of the command line.</summary>
internal static class TailOptions
{
    internal static readonly Option<string?> Database = new("--database") { Description = "sqlite or postgres", HelpName = "NAME" };

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

    internal static readonly Option<long?> After = NumberOption.Create(
        "--after", 0, "to begin at the first event",
        "Begin behind this ordering, or with --id behind this sequence number; where --resume finds a position, that counts");

    internal static readonly Option<bool> Current = new("--current") { Description = "End at the end of the journal instead of following it; a database that is away is waited for 30 s" };

    internal static readonly Option<long?> Limit = NumberOption.Create("--limit", 1, "for all", "Print so many and end");

    internal static readonly Option<string?> Resume = new("--resume")
    {
        Description = "Go on behind the position in this file, and keep in it the position of what was printed. "
            + "With a pipe that is what was written to it, read or not: use --limit instead of head",
        HelpName = "FILE",
    };

    internal static readonly Option<string?> Layout = new("--layout")
    {
        Description = "Names of tables and columns: default, sqlite, postgresql, sql-server or mysql, as Akka.Persistence.Sql calls them",
        HelpName = "NAME",
    };

    internal static readonly Option<string?> TagMode = new("--tag-mode")
    {
        Description = "Where tags are: table, or csv (a column of the journal); by default as the layout has them",
        HelpName = "MODE",
    };

    internal static readonly Option<string?> Table = new("--table") { Description = "The journal table, where it is not the layout's", HelpName = "NAME" };

    internal static readonly Option<string?> TagTable =
        new("--tag-table") { Description = "The tag table, where it is not the layout's", HelpName = "NAME" };

    internal static readonly Option<string?> Schema = new("--schema") { Description = "The schema of both, on postgres", HelpName = "NAME" };

    internal static readonly Option<bool> Json =
        new("--json") { Description = "A JSON object a line; a payload that is no text comes as payloadBase64" };

    internal static readonly Option<bool> Full = new("--full") { Description = "Lines whole, where the terminal is narrower" };

    internal static IEnumerable<Option> Each =>
    [
        Database, Connection, All, Tag, Id, Slices, Ids, After, Current, Limit, Resume, Layout, TagMode, Table, TagTable, Schema, Json, Full,
    ];
}
