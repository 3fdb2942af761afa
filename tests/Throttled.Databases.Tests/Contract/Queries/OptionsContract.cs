namespace Throttled.Databases.Tests.Contract;

/// <summary>A bad value is refused when the reader is opened, with a message that says what to write.</summary>
public abstract class OptionsContract(IJournalHost host, ITestOutputHelper output) : JournalContract(host, output)
{
    public static TheoryData<string, string> Refusals() => new()
    {
        { nameof(JournalOptions.MaxConcurrentQueries), "'MaxConcurrentQueries' is 0; it must be at least 1." },
        { nameof(JournalOptions.MaxQueriesPerSecond), "'MaxQueriesPerSecond' is -1; it must be from 0 to 1000000." },
        { nameof(JournalOptions.MaxBufferSize), "'MaxBufferSize' is 0; it must be from 1 to 100000." },
        { nameof(JournalOptions.MaxBufferedBytes), "'MaxBufferedBytes' is 0; it must be at least 1." },
        { nameof(JournalOptions.RefreshInterval), "'RefreshInterval' is 0 s; it must be from 1 ms to 1 h." },
        { nameof(JournalOptions.MinPollInterval), "'MinPollInterval' is 1 s; it must be from 0 s to 200 ms." },
        { nameof(JournalOptions.StatementTimeout), "'StatementTimeout' is 500 ms; it must be from 1 s to 1 h." },
    };

    [ContractTheory]
    [MemberData(nameof(Refusals))]
    public async Task A_value_out_of_its_range_is_refused(string name, string message)
    {
        var journal = await NewAbsentJournalAsync();
        var good = new JournalOptions();
        var bad = name switch
        {
            nameof(good.MaxConcurrentQueries) => good with { MaxConcurrentQueries = 0 },
            nameof(good.MaxQueriesPerSecond) => good with { MaxQueriesPerSecond = -1 },
            nameof(good.MaxBufferSize) => good with { MaxBufferSize = 0 },
            nameof(good.MaxBufferedBytes) => good with { MaxBufferedBytes = 0 },
            nameof(good.RefreshInterval) => good with { RefreshInterval = TimeSpan.Zero, MinPollInterval = TimeSpan.Zero },
            nameof(good.MinPollInterval) => good with { MinPollInterval = TimeSpan.FromSeconds(1) },
            _ => good with { StatementTimeout = TimeSpan.FromSeconds(0.5) },
        };

        var error = Assert.Throws<ArgumentException>(() => journal.OpenReader(bad));
        Assert.Equal(message, error.Message);
    }

    [ContractTheory]
    [InlineData(null)]
    [InlineData("")]
    public async Task An_invalid_id_is_refused(string? id)
    {
        var journal = await NewAbsentJournalAsync();
        var reader = journal.OpenReader();

        Assert.ThrowsAny<ArgumentException>(() => reader.EventsByPersistenceId(id!));
        Assert.ThrowsAny<ArgumentException>(() => reader.CurrentEventsByPersistenceId(id!));
    }

    [ContractFact]
    public async Task An_event_with_a_tag_that_the_column_cannot_store_is_refused()
    {
        var journal = await NewJournalAsync(Layouts.Named("default", TagMode.Csv));
        var tagged = new JournalEvent { PersistenceId = "a", SequenceNumber = 1, Payload = new byte[1], Tags = ["a;b"] };

        var error = await Assert.ThrowsAsync<ArgumentException>(() => journal.AppendAsync(tagged));

        Assert.Contains("\"a;b\"", error.Message, StringComparison.Ordinal);
        Assert.Empty(await journal.OpenReader().CurrentEventsByPersistenceId("a").AllAsync());
    }
}
