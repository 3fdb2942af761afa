using Akka.Event;
using Throttled.Journal;

namespace Akka.Persistence.Query.Throttled.Diagnostics;

/// <summary>The plugin's log messages; the engine has its own.</summary>
internal static class PluginLog
{
    internal static void Skipped(this ILoggingAdapter log, string named, JournalEvent row, Exception error)
    {
        log.Warning(
            "{0} was skipped, because it cannot be decoded; more events of its kind (serializer id {1}, manifest \"{2}\") will be skipped without a log message. {3}",
            named, (object?)row.SerializerId ?? "missing", row.Manifest, OnOneLine(error.Message));
        log.Debug(error, "{0} cannot be decoded.", named);
    }

    internal static void ThrottlerStopped(this ILoggingAdapter log, string path) => log.Warning(
        "Something stopped the QueryThrottler actor of '{0}'. All queries of this read journal ended; it opens again by itself.", path);

    internal static void OpenedAgain(this ILoggingAdapter log, string path) => log.Info("The read journal '{0}' is open again.", path);

    internal static void NotOpenedAgain(this ILoggingAdapter log, string path, Exception error) => log.Error(
        error, "The read journal '{0}' cannot be opened again: {1} The next query tries again, at most 60 s later.", path, OnOneLine(error.Message).TrimEnd('.') + ".");

    internal static void NotClosed(this ILoggingAdapter log, string path) => log.Warning(
        "The statements of the read journal '{0}' have not ended in time. The actor system terminates without them; the database ends them by itself.", path);

    internal static void UnusedSettings(this ILoggingAdapter log, string path, IEnumerable<string> settings) => log.Info(
        "These settings of '{0}' belong to other plugins and have no effect here: {1}.", path, string.Join(", ", settings));

    internal static void UnknownSettings(this ILoggingAdapter log, string path, IEnumerable<string> settings) => log.Warning(
        "'{0}' has settings that do not exist: {1}. Correct their names, or leave them out.", path, string.Join(", ", settings));

    internal static void MissingSection(this ILoggingAdapter log, string path) => log.Info(
        "The configuration has no section '{0}'. The read journal uses the defaults, and reads where the write plugin writes.", path);

    internal static void StraySections(this ILoggingAdapter log, string path, string strays) => log.Warning(
        "{0}: no read journal uses this section, because it has no 'class'. Is '{1}' meant? Correct the path, or add the 'class'.", strays, path);

    internal static void UnusedOfCode(this ILoggingAdapter log, string name, IEnumerable<string> unused) => log.Info(
        "The read journal does not use these parts of '{0}': {1}. It repeats statements by itself, and 'statement-timeout' ends them.", name, string.Join(", ", unused));

    // Some serializers write several lines about a bad payload.
    internal static string OnOneLine(string message) =>
        string.Join(' ', message.Split(['\r', '\n'], StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries));
}
