using Akka.Event;
using Akka.Persistence.Query.Throttled.Diagnostics;

namespace Akka.Persistence.Sharded;

/// <summary>The log messages of the sharded write journal.</summary>
internal static class ShardedJournalLog
{
    internal static void RefusedShards(this ILoggingAdapter log, string path, Exception error) => log.Error(
        "The sharded write journal '{0}' fails every message: {1}", path, error.Message);

    internal static void UncheckedShards(this ILoggingAdapter log, string path, IEnumerable<string> plugins) => log.Warning(
        "The databases of these shards of '{0}' are not known, so the slices stored there cannot be checked: {1}. Make sure that 'shards' and 'slices' never change.",
        path, string.Join(", ", plugins));

    internal static void ShardUnavailable(this ILoggingAdapter log, Exception error) => log.Warning(
        "{0} Messages for this shard fail until its database is back; the other shards go on.", PluginLog.OnOneLine(error.Message).TrimEnd('.') + ".");

    internal static void ShardAvailable(this ILoggingAdapter log, string plugin) => log.Info("The database of '{0}' is available again.", plugin);
}
