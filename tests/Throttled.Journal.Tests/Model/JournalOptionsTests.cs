namespace Throttled.Journal.Tests.Model;

public sealed class JournalOptionsTests
{
    private static readonly JournalOptions Options = new();

    public static TheoryData<string, JournalOptions> Refused => new()
    {
        { "'MaxConcurrentQueries' is 0; it must be at least 1.", Options with { MaxConcurrentQueries = 0 } },
        { "'MaxQueriesPerSecond' is -1; it must be from 0 to 1000000.", Options with { MaxQueriesPerSecond = -1 } },
        { "'MaxQueriesPerSecond' is 1000001; it must be from 0 to 1000000.", Options with { MaxQueriesPerSecond = 1_000_001 } },
        { "'Burst' is 0; it must be at least 1.", Options with { Burst = 0 } },
        { "'MaxBufferSize' is 0; it must be from 1 to 100000.", Options with { MaxBufferSize = 0 } },
        { "'MaxBufferSize' is 100001; it must be from 1 to 100000.", Options with { MaxBufferSize = 100_001 } },
        { "'MaxQueriesPerStatement' is 0; it must be from 1 to 10000.", Options with { MaxQueriesPerStatement = 0 } },
        { "'MaxQueriesPerStatement' is 10001; it must be from 1 to 10000.", Options with { MaxQueriesPerStatement = 10_001 } },
        { "'MaxRowsPerStatement' is 0; it must be at least 1.", Options with { MaxRowsPerStatement = 0 } },
        { "'MaxBufferedBytes' is 0; it must be at least 1.", Options with { MaxBufferedBytes = 0 } },
        { "'MaxPayloadBytes' is 0; it must be at least 1.", Options with { MaxPayloadBytes = 0 } },
        { "'OnLargePayload' is 7; it must be one of Fail, Skip, OmitPayload.", Options with { OnLargePayload = (LargePayloadAction)7 } },
        { "'TailMaxLag' is 0; it must be at least 1.", Options with { TailMaxLag = 0 } },
        {
            "'QueryThrottleWarning' is 0 s; it must be from 1 s to 1 d.",
            Options with { QueryThrottleWarning = TimeSpan.Zero }
        },
        { "'RefreshInterval' is 0 s; it must be from 1 ms to 1 h.", Options with { RefreshInterval = TimeSpan.Zero } },
        {
            "'MinPollInterval' is 1 s; it must be from 0 s to 200 ms.",
            Options with { MinPollInterval = TimeSpan.FromSeconds(1) }
        },
        { "'StatementTimeout' is 0 s; it must be from 1 s to 1 h.", Options with { StatementTimeout = TimeSpan.Zero } },
        { "'GapTimeout' is 2 h; it must be from 1 s to 1 h.", Options with { GapTimeout = TimeSpan.FromHours(2) } },
        { "'GapMinAge' is -1 s; it must be from 0 s to 10 s.", Options with { GapMinAge = TimeSpan.FromSeconds(-1) } },
        { "'GapMinAge' is 11 s; it must be from 0 s to 10 s.", Options with { GapMinAge = TimeSpan.FromSeconds(11) } },
        { "'FatalErrorGracePeriod' is -1 s; it must be from 0 s to 1 h.", Options with { FatalErrorGracePeriod = TimeSpan.FromSeconds(-1) } },
        {
            "'CurrentQueryTimeout' is 0 s; it must be at least 1 s.",
            Options with { CurrentQueryTimeout = TimeSpan.Zero }
        },
    };

    public static TheoryData<string, JournalTables> RefusedNames => new()
    {
        { nameof(JournalTables.JournalTable), new() { JournalTable = "" } },
        { nameof(JournalTables.OrderingColumn), new() { OrderingColumn = "" } },
        { nameof(JournalTables.DeletedColumn), new() { DeletedColumn = "" } },
        { nameof(JournalTables.PersistenceIdColumn), new() { PersistenceIdColumn = "" } },
        { nameof(JournalTables.SequenceNumberColumn), new() { SequenceNumberColumn = "" } },
        { nameof(JournalTables.TimestampColumn), new() { TimestampColumn = "" } },
        { nameof(JournalTables.PayloadColumn), new() { PayloadColumn = "" } },
        { nameof(JournalTables.SerializerIdColumn), new() { SerializerIdColumn = "" } },
        { nameof(JournalTables.ManifestColumn), new() { ManifestColumn = "" } },
        { nameof(JournalTables.TagsColumn), new() { TagsColumn = "" } },
        { nameof(JournalTables.TagTable), new() { TagTable = "" } },
        { nameof(JournalTables.TagOrderingColumn), new() { TagOrderingColumn = "" } },
        { nameof(JournalTables.TagColumn), new() { TagColumn = "" } },
    };

    [Fact]
    public void The_defaults_are_allowed() => Options.Validate();

    [Theory]
    [MemberData(nameof(Refused))]
    public void A_value_out_of_its_range_is_refused(string message, JournalOptions options) =>
        Assert.Equal(message, Assert.Throws<ArgumentException>(() => options.Validate()).Message);

    [Theory]
    [MemberData(nameof(RefusedNames))]
    public void An_empty_name_is_refused(string name, JournalTables tables) =>
        Assert.StartsWith($"'{name}' is \"\"; it must be", Refusal(Options with { Tables = tables }), StringComparison.Ordinal);

    [Fact]
    public void A_name_with_a_zero_character_is_refused() =>
        Assert.Contains("it must be a name", Refusal(Options with { Tables = new() { JournalTable = "a\0b" } }), StringComparison.Ordinal);

    [Fact]
    public void An_unknown_tag_mode_is_refused() => Assert.Equal(
        "'TagMode' is 7; it must be one of TagTable, Csv.", Refusal(Options with { Tables = new() { TagMode = (TagMode)7 } }));

    [Fact]
    public void A_separator_that_is_half_a_character_is_refused() => Assert.Equal(
        "'TagSeparator' is U+D83D; it must be one whole character. Leave it out for the default.",
        Refusal(Options with { Tables = new() { TagSeparator = '\ud83d' } }));

    [Fact]
    public void Tables_that_are_null_are_refused() =>
        Assert.Equal("'Tables' is null; leave it out for its default.", Refusal(Options with { Tables = null! }));

    [Fact]
    public void A_refusal_names_the_setting_as_the_user_wrote_it() =>
        Assert.StartsWith(
            "'max-buffer-size' is 0;",
            Assert.Throws<ArgumentException>(() => (Options with { MaxBufferSize = 0 }).Validate(_ => "max-buffer-size")).Message,
            StringComparison.Ordinal);

    private static string Refusal(JournalOptions options) => Assert.Throws<ArgumentException>(() => options.Validate()).Message;
}
