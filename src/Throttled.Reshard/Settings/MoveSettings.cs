using Throttled.Journal;

namespace Throttled.Reshard.Settings;

/// <summary>What is copied, or looked at.</summary>
/// <param name="Database">sqlite or postgres.</param>
/// <param name="From">The connection strings of the old shards, in their order.</param>
/// <param name="To">Those of the new, in theirs.</param>
/// <param name="Map">Which of the new has which slices.</param>
/// <param name="Tables">The journal's tables.</param>
internal sealed record MoveSettings(string Database, IReadOnlyList<string> From, IReadOnlyList<string> To, ShardMap Map, MovedTables Tables)
{
    internal const string Sqlite = "sqlite";
    internal const string Postgres = "postgres";
}
