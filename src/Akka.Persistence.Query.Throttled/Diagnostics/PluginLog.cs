using Akka.Event;
using Throttled.Journal;

namespace Akka.Persistence.Query.Throttled.Diagnostics;

/// <summary>All that the plugin says in the log, beside the engine.</summary>
internal static class PluginLog
{
    internal static void Skipped(this ILoggingAdapter log, string named, JournalEvent row, Exception error)
    {
        log.Warning(
            "{0} was skipped, because it cannot be decoded; more of its kind (serializer id {1}, manifest \"{2}\") will be skipped without a word. {3}",
            named, (object?)row.SerializerId ?? "missing", row.Manifest, OnOneLine(error.Message));
        log.Debug(error, "{0} cannot be decoded.", named);
    }

    internal static void ThrottlerStopped(this ILoggingAdapter log, string path) => log.Warning(
        "Somebody has stopped the QueryThrottler of '{0}'. All its queries have ended, and it opens again by itself.", path);

    internal static void OpenedAgain(this ILoggingAdapter log, string path) => log.Info("The read journal '{0}' is open again.", path);

    internal static void UnusedSettings(this ILoggingAdapter log, string path, IEnumerable<string> settings) => log.Info(
        "These settings of '{0}' are other plugins' and mean nothing here: {1}.", path, string.Join(", ", settings));

    internal static void UnknownSettings(this ILoggingAdapter log, string path, IEnumerable<string> settings) => log.Warning(
        "'{0}' has settings that do not exist: {1}. Correct their names, or leave them out.", path, string.Join(", ", settings));

    internal static void UnusedOfCode(this ILoggingAdapter log, string name, IEnumerable<string> unused) => log.Info(
        "The '{0}' have more than the read journal uses: {1}. It repeats statements by itself, and 'statement-timeout' ends them.", name, string.Join(", ", unused));

    internal static void RefusedShards(this ILoggingAdapter log, string path, Exception error) => log.Error(
        "Nothing is written or replayed by '{0}': {1}", path, error.Message);

    internal static void UncheckedShards(this ILoggingAdapter log, string path, IEnumerable<string> plugins) => log.Warning(
        "Whether these shards of '{0}' were written with its slices cannot be checked, because it is not known where they write to: {1}. See to it that 'shards' and 'slices' never change.",
        path, string.Join(", ", plugins));

    internal static void ShardAway(this ILoggingAdapter log, Exception error) => log.Warning(
        "{0} What is for it fails until it is back; the other shards go on.", OnOneLine(error.Message).TrimEnd('.') + ".");

    internal static void ShardBack(this ILoggingAdapter log, string plugin) => log.Info("The database of '{0}' is back.", plugin);

    // Serializers tell of a bad payload over several lines.
    private static string OnOneLine(string message) =>
        string.Join(' ', message.Split(['\r', '\n'], StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries));
}
