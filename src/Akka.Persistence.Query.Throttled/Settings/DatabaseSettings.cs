using Throttled.Journal.Sharding;

namespace Akka.Persistence.Query.Throttled.Settings;

/// <summary>What says where one database of a read journal is, and how its events are stored there.</summary>
/// <param name="Settings">The section of the read journal, with what is said elsewhere.</param>
/// <param name="Given">What code says of it; null where the settings say all.</param>
/// <param name="WritePlugin">The path of the plugin that writes to it; null where there is none.</param>
/// <param name="Place">Which shard it is; null where the journal is not divided.</param>
internal sealed record DatabaseSettings(SettingReader Settings, GivenDatabase? Given, string? WritePlugin, ShardPlace? Place);
