using Throttled.Journal;

namespace Akka.Persistence.Query.Throttled.Settings;

/// <summary>The settings that locate one database of a read journal and describe how events are stored there.</summary>
/// <param name="Settings">The section of the read journal, with settings taken from elsewhere.</param>
/// <param name="Given">The database that code gave; null if settings name it.</param>
/// <param name="WritePlugin">The path of the plugin that writes to it; null if there is none.</param>
/// <param name="Place">Which shard it is; null if the journal is not divided.</param>
internal sealed record DatabaseSettings(SettingReader Settings, GivenDatabase? Given, string? WritePlugin, ShardIdentity? Place);
