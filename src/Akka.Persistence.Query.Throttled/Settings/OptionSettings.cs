using Akka.Configuration;
using Throttled.Journal;

namespace Akka.Persistence.Query.Throttled.Settings;

/// <summary>Reads the engine's options.</summary>
internal static class OptionSettings
{
    /// <exception cref="ConfigurationException">A setting is wrong; the message names it.</exception>
    internal static JournalOptions Read(SettingReader settings, SettingNames names, JournalTables tables)
    {
        var options = Parsed(settings) with { Name = settings.Path, Tables = tables };
        try
        {
            options.Validate(names.Of);
            return options;
        }
        catch (ArgumentException error)
        {
            throw new ConfigurationException(error.Message, error);
        }
    }

    private static JournalOptions Parsed(SettingReader settings)
    {
        var refresh = settings.Duration("refresh-interval");
        var least = settings.Duration("min-poll-interval");
        return new()
        {
            MaxConcurrentQueries = settings.Int("max-concurrent-queries"),
            MaxQueriesPerSecond = settings.Int("max-queries-per-second"),
            Burst = settings.Int("burst"),
            QueryThrottleWarning = settings.Duration("query-throttle-warning"),
            MaxBufferSize = settings.Int("max-buffer-size"),
            MaxQueriesPerStatement = settings.Int("max-queries-per-statement"),
            MaxRowsPerStatement = settings.Int("max-rows-per-statement"),
            MaxBufferedBytes = settings.Size("max-buffered-bytes"),
            MaxPayloadBytes = settings.SizeOrOff("max-payload-bytes"),
            RefreshInterval = refresh,
            // A refresh-interval below min-poll-interval lowers that too, so a user can set refresh-interval alone.
            MinPollInterval = least < refresh ? least : refresh,
            TailMaxLag = settings.Int("tail-max-lag"),
            StatementTimeout = settings.Duration("statement-timeout"),
            GapTimeout = settings.Duration("gap-timeout"),
            GapMinAge = settings.DurationOrEmpty("gap-min-age"),
            OnGapTimeout = settings.OneOf("on-gap-timeout", ("wait", GapTimeoutAction.Wait), ("skip", GapTimeoutAction.Skip)),
            FatalErrorGracePeriod = settings.Duration("fatal-error-grace-period"),
            CurrentQueryTimeout = settings.DurationOrInfinite("current-query-timeout"),
            RequireTable = settings.Bool("require-table"),
            PrepareStatements = settings.Bool("prepare-statements"),
            Notify = settings.Bool("notify"),
            AllowCachedSequence = settings.Bool("allow-cached-sequence"),
        };
    }
}
