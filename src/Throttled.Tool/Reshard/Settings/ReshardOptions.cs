using System.CommandLine;
using Throttled.Tool.CommandLine;

namespace Throttled.Tool.Reshard;

internal static class ReshardOptions
{
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

    internal static readonly Option<string?> MetadataTable = new("--metadata-table")
    {
        Description = "The table with the highest sequence numbers of ids whose events were deleted, if it is not the layout's; "
            + "copied if it exists",
        HelpName = "NAME",
    };

    internal static readonly Argument<string> Offset = new("offset") { Description = "1042, or 0-511:1042,512-1023:77" };

    internal static IEnumerable<Symbol> OfMove => [OptionText.Database, From, To, Slices, .. Tables];

    internal static IEnumerable<Symbol> OfPlan => [.. OfMove, Shards];

    internal static IEnumerable<Symbol> OfMark => [OptionText.Database, On, Slices, Shards, Shard, .. Tables];

    internal static IEnumerable<Symbol> OfOffset => [Offset, Slices, Shards, JsonOutput.Option];

    private static IEnumerable<Symbol> Tables => [.. TableOptions.All, MetadataTable, JsonOutput.Option];
}
