using System.Globalization;
using System.Text;
using Akka.Configuration;
using Akka.Hosting;
using Akka.Persistence.Query.Throttled.Settings;
using Throttled.Journal;

namespace Akka.Persistence.Query.Throttled.Hosting.Configuration;

/// <summary>Writes options as HOCON: only those that are set, because the defaults are in one place.</summary>
internal static class OptionsHocon
{
    private static readonly string ClassName =
        $"{typeof(ThrottledReadJournalProvider).FullName}, {typeof(ThrottledReadJournalProvider).Assembly.GetName().Name}";

    /// <summary>The section of the read journal, at its path.</summary>
    internal static Config Section(ThrottledReadJournalOptions options) => ConfigurationFactory.ParseString(ToText(options));

    internal static string List(IEnumerable<string> texts) => $"[{string.Join(", ", texts.Select(text => text.ToHocon()))}]";

    private static string ToText(ThrottledReadJournalOptions options)
    {
        var text = new StringBuilder().Append(options.PluginId).AppendLine(" {");
        foreach (var (key, value) in Connection(options).Concat(Limits(options)).Concat(Durations(options)).Concat(Behaviour(options)))
        {
            if (value is not null)
                text.Append(key).Append(" = ").AppendLine(value);
        }
        return text.AppendLine("}").ToString();
    }

    private static IEnumerable<(string Key, string? Value)> Connection(ThrottledReadJournalOptions options) =>
    [
        // Akka.NET finds the plugin by the class, whatever type a reader asks for. The class also makes this section differ
        // from an empty one.
        ("class", Text(ClassName)),
        ("plugin-id", Text(options.PluginId)),
        ("strict", options.Strict?.ToHocon()),
        ("connection-string", Text(options.ConnectionString)),
        ("shards", Texts(options.Shards)),
        ("slices", Texts(options.Slices)),
        ("provider-name", Text(options.ProviderName)),
        ("write-plugin", Text(options.WritePlugin)),
        ("table-mapping", Word(options.TableMapping)),
        // The application's HOCON may have the setting's older name, which wins over it. An empty text turns that off.
        ("table-compatibility-mode", options.TableMapping is null ? null : Text("")),
        ("tag-read-mode", Word(options.TagReadMode)),
        ("tag-separator", Text(options.TagSeparator)),
        // The write plugin may decide which layout the tables have, so set the names in each layout.
        .. TableSettings.Layouts.Select(layout => ($"{layout}.schema-name", Text(options.SchemaName))),
        .. TableSettings.Layouts.Select(layout => ($"{layout}.journal.table-name", Text(options.JournalTableName))),
        .. TableSettings.Layouts.Select(layout => ($"{layout}.tag.table-name", Text(options.TagTableName))),
    ];

    private static IEnumerable<(string Key, string? Value)> Limits(ThrottledReadJournalOptions options) =>
    [
        ("max-concurrent-queries", Number(options.MaxConcurrentQueries)),
        ("max-queries-per-second", Number(options.MaxQueriesPerSecond)),
        ("burst", Number(options.Burst)),
        ("max-buffer-size", Number(options.MaxBufferSize)),
        ("max-queries-per-statement", Number(options.MaxQueriesPerStatement)),
        ("max-rows-per-statement", Number(options.MaxRowsPerStatement)),
        ("max-buffered-bytes", Number(options.MaxBufferedBytes)),
        ("max-payload-bytes", Number(options.MaxPayloadBytes)),
        ("tail-max-lag", Number(options.TailMaxLag)),
    ];

    private static IEnumerable<(string Key, string? Value)> Durations(ThrottledReadJournalOptions options) =>
    [
        ("query-throttle-warning", Duration(options.QueryThrottleWarning)),
        ("refresh-interval", Duration(options.RefreshInterval)),
        ("min-poll-interval", Duration(options.MinPollInterval)),
        ("gap-timeout", Duration(options.GapTimeout)),
        ("gap-min-age", Duration(options.GapMinAge)),
        ("statement-timeout", Duration(options.StatementTimeout)),
        ("fatal-error-grace-period", Duration(options.FatalErrorGracePeriod)),
        ("current-query-timeout", Duration(options.CurrentQueryTimeout)),
    ];

    private static IEnumerable<(string Key, string? Value)> Behaviour(ThrottledReadJournalOptions options) =>
    [
        ("notify", options.Notify?.ToHocon()),
        ("on-gap-timeout", Word(options.OnGapTimeout)),
        ("allow-cached-sequence", options.AllowCachedSequence?.ToHocon()),
        ("require-table", options.RequireTable?.ToHocon()),
        ("prepare-statements", options.PrepareStatements?.ToHocon()),
        ("on-undecodable-event", Word(options.OnUndecodableEvent)),
        ("serializer", Text(options.Serializer)),
        ("stored-as", Word(options.StoredAs)),
    ];

    private static string? Number<T>(T? number)
        where T : struct, IFormattable => number?.ToString(null, CultureInfo.InvariantCulture);

    // ToHocon writes any negative duration as infinite.
    private static string? Duration(TimeSpan? duration) => duration == Timeout.InfiniteTimeSpan
        ? "infinite"
        : duration is { } length ? string.Create(CultureInfo.InvariantCulture, $"{length.TotalMilliseconds}ms") : null;

    private static string? Texts(IReadOnlyList<string>? texts) => texts is null ? null : List(texts);

    private static string? Word(Enum? value) => value switch
    {
        null => null,
        TableMapping.SqlServer => "sql-server",
        GapTimeoutAction.Skip => "skip",
        _ => value.ToString().ToLowerInvariant(),
    };

    // ToHocon writes null as text.
    private static string? Text(string? text) => text?.ToHocon();
}
