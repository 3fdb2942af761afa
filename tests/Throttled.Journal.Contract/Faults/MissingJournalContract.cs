using Xunit.Abstractions;

namespace Throttled.Journal.Contract;

/// <summary>A reader may be there before its journal.</summary>
public abstract class MissingJournalContract(IJournalHost host, ITestOutputHelper output) : JournalContract(host, output)
{
    [ContractTheory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_query_waits_for_the_journal_and_then_gives_its_events(bool live)
    {
        var journal = await NewAbsentJournalAsync();
        var (meter, reader) = StatementMeter.Of(() => journal.OpenReader());
        await using var reading = LiveReading.Of(reader.Events(live, "a"));
        await meter.MoreAsync("probe", 2);

        // A current query reads what is there when it can; so the events and the table come in sight at once.
        await using var transaction = live ? null : await CreateUnseenAsync(journal);
        if (live)
        {
            await journal.CreateAsync();
            await journal.AppendAsync("a", 1, 3);
        }
        else
            await transaction!.CommitAsync();

        Assert.Equal([1, 2, 3], (await reading.UntilAsync(3)).Numbers());
    }

    [ContractTheory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_query_that_requires_the_journal_fails_without_it_and_says_what_to_do(bool live)
    {
        var journal = await NewAbsentJournalAsync();
        var reader = journal.OpenReader(new() { RequireTable = true });

        var error = await Assert.ThrowsAsync<JournalException>(() => reader.Events(live, "a").AllAsync());

        Assert.Contains("Create it, correct its name, or leave 'RequireTable' off", error.Message, StringComparison.Ordinal);
        Assert.NotNull(error.InnerException);
    }

    private static async Task<RawTransaction> CreateUnseenAsync(JournalUnderTest journal)
    {
        var tables = journal.Tables;
        var transaction = await journal.BeginAsync();
        await transaction.RunAsync(
            $"CREATE TABLE {journal.Table} ({journal.Quote(tables.OrderingColumn)} {journal.OrderingType}, "
            + $"{journal.Quote(tables.DeletedColumn)} BOOLEAN NOT NULL, {journal.Quote(tables.PersistenceIdColumn)} VARCHAR(255) NOT NULL, "
            + $"{journal.Quote(tables.SequenceNumberColumn)} BIGINT NOT NULL, {journal.Quote(tables.TimestampColumn)} BIGINT NOT NULL, "
            + $"{journal.Quote(tables.PayloadColumn)} {journal.BytesType} NOT NULL, {journal.Quote(tables.SerializerIdColumn)} INTEGER, "
            + $"{journal.Quote(tables.ManifestColumn)} VARCHAR(500), {journal.Quote(tables.TagsColumn)} VARCHAR(2000))");
        await transaction.InsertAsync(TestEvents.Of("a", 1, 3));
        return transaction;
    }
}
