using System.CommandLine;

namespace Throttled.Reshard.Settings;

/// <summary>The options of the command line.</summary>
internal static class Options
{
    internal static readonly Option<string?> Database = new("--database") { Description = "sqlite or postgres", HelpName = "NAME" };

    internal static readonly Option<string[]> From = new("--from")
    {
        Description = "Connection string of the journal, or of each of its shards in their order: "
            + "\"Data Source=journal.db\", or \"Host=…;Username=…;Password=…;Database=…\"",
        HelpName = "STRING",
    };

    internal static readonly Option<string[]> To = new("--to")
    {
        Description = "Connection string of each new shard, in their order",
        HelpName = "STRING",
    };

    internal static readonly Option<string?> On = new("--on") { Description = "Connection string of the database to mark", HelpName = "STRING" };

    internal static readonly Option<string?> Slices = new("--slices")
    {
        Description = "The slices of each new shard, as the application's configuration has them: 0-511,512-1023. Divided evenly if left out",
        HelpName = "RANGES",
    };

    internal static readonly Option<string?> Shards = new("--shards") { Description = "How many shards there are, divided evenly; instead of --slices", HelpName = "N" };

    internal static readonly Option<string?> Shard = new("--shard") { Description = "Which shard it is, from 0", HelpName = "N" };

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

    internal static readonly Option<string?> JournalTable = new("--journal-table") { Description = "The journal table, if it is not the layout's", HelpName = "NAME" };

    internal static readonly Option<string?> TagTable = new("--tag-table") { Description = "The tag table, if it is not the layout's", HelpName = "NAME" };

    internal static readonly Option<string?> MetadataTable = new("--metadata-table")
    {
        Description = "The table with the highest sequence numbers of ids whose events were deleted, if it is not the layout's; "
            + "copied if it exists",
        HelpName = "NAME",
    };

    internal static readonly Option<string?> Schema = new("--schema") { Description = "The schema of all of them, on postgres", HelpName = "NAME" };

    internal static readonly Argument<string> Position = new("position") { Description = "1042, or 0-511:1042,512-1023:77" };

    internal static IEnumerable<Option> OfMove => [Database, From, To, Slices, .. Tables];

    internal static IEnumerable<Option> OfMark => [Database, On, Slices, Shards, Shard, .. Tables];

    internal static IEnumerable<Option> OfPosition => [Slices, Shards];

    private static Option[] Tables => [Layout, JournalTable, TagTable, MetadataTable, Schema, TagMode];
}
