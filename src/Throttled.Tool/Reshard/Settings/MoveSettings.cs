using Throttled.Journal;

namespace Throttled.Reshard.Settings;

/// <summary>What to copy or verify.</summary>
/// <param name="Database">sqlite or postgres.</param>
/// <param name="From">The connection strings of the old shards, in their order.</param>
/// <param name="To">The connection strings of the new shards, in their order.</param>
/// <param name="Map">Which new shard has which slices.</param>
/// <param name="Tables">The journal's tables.</param>
internal sealed record MoveSettings(string Database, IReadOnlyList<string> From, IReadOnlyList<string> To, ShardMap Map, MovedTables Tables)
{
    internal const string Sqlite = "sqlite";
    internal const string Postgres = "postgres";
}
