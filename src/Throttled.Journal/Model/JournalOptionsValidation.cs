namespace Throttled.Journal;

/// <summary>Rejects invalid options. Messages use the user's names for them.</summary>
internal static class JournalOptionsValidation
{
    private static readonly TimeSpan Hour = TimeSpan.FromHours(1);

    internal static void Validate(this JournalOptions options, Func<string, string>? nameOf = null)
    {
        var check = new OptionCheck(nameOf ?? (name => name));
        check.Name(nameof(options.Name), options.Name);
        check.Given(nameof(options.Tables), options.Tables);
        check.Given(nameof(options.TimeProvider), options.TimeProvider);
        check.Between(nameof(options.MaxConcurrentQueries), options.MaxConcurrentQueries, 1, int.MaxValue);
        check.Between(nameof(options.MaxQueriesPerSecond), options.MaxQueriesPerSecond, 0, 1_000_000);
        check.Between(nameof(options.Burst), options.Burst, 1, int.MaxValue);
        check.Between(nameof(options.MaxBufferSize), options.MaxBufferSize, 1, 100_000);
        check.Between(nameof(options.MaxQueriesPerStatement), options.MaxQueriesPerStatement, 1, 10_000);
        check.Between(nameof(options.MaxRowsPerStatement), options.MaxRowsPerStatement, 1, int.MaxValue);
        check.Between(nameof(options.MaxBufferedBytes), options.MaxBufferedBytes, 1, long.MaxValue);
        if (options.MaxPayloadBytes is { } payload)
            check.Between(nameof(options.MaxPayloadBytes), payload, 1, int.MaxValue);
        check.Defined(nameof(options.OnLargePayload), options.OnLargePayload);
        check.Between(nameof(options.TailMaxLag), options.TailMaxLag, 1, int.MaxValue);
        check.Between(nameof(options.QueryThrottleWarning), options.QueryThrottleWarning, TimeSpan.FromSeconds(1), TimeSpan.FromDays(1));
        check.Between(nameof(options.RefreshInterval), options.RefreshInterval, TimeSpan.FromMilliseconds(1), Hour);
        check.Between(nameof(options.MinPollInterval), options.MinPollInterval, TimeSpan.Zero, options.RefreshInterval);
        check.Between(nameof(options.StatementTimeout), options.StatementTimeout, TimeSpan.FromSeconds(1), Hour);
        check.Between(nameof(options.GapTimeout), options.GapTimeout, TimeSpan.FromSeconds(1), Hour);
        if (options.GapMinAge is { } age)
            check.Between(nameof(options.GapMinAge), age, TimeSpan.Zero, options.GapTimeout);
        check.Defined(nameof(options.OnGapTimeout), options.OnGapTimeout);
        check.Between(nameof(options.FatalErrorGracePeriod), options.FatalErrorGracePeriod, TimeSpan.Zero, Hour);
        if (options.CurrentQueryTimeout is { } current)
            check.Between(nameof(options.CurrentQueryTimeout), current, TimeSpan.FromSeconds(1), TimeSpan.MaxValue);
        Names(options.Tables, check);
    }

    internal static void Validate(this JournalTables tables) => Names(tables, new OptionCheck(name => name));

    private static void Names(JournalTables tables, OptionCheck check)
    {
        foreach (var (setting, name) in tables.Names())
            check.Name(setting, name);
        check.Defined(nameof(tables.TagMode), tables.TagMode);
        check.Text(nameof(tables.TagSeparator), tables.TagSeparator);
    }
}
