using System.Data.Common;

namespace Throttled.Journal.SqlServer.Tests.Contract;

/// <summary>When a query is disposed during its statement, the server is notified. The permit is free when the batch has ended there.</summary>
[Collection(ServerCollection.Name)]
public sealed class CancelTests(SqlServerHost host, ITestOutputHelper output) : JournalContract(host, output)
{
    private const string Deaf = "it hears no request to cancel before a statement has sent a row, whether it works or waits.";

    [RealServerFact(Deaf)]
    public async Task A_statement_that_works_is_cancelled_on_the_server_and_its_permit_is_free_then()
    {
        var journal = await NewSlowJournalAsync();
        var (meter, reader) = await OpenAsync(journal, new() { MaxConcurrentQueries = 1 });
        await using var reading = LiveReading.Of(reader.CurrentEventsByPersistenceId("slow"));
        await UntilRunningAsync(journal);

        reading.Stop();

        await Wait.UntilAsync(() => meter.PermitsUsed == 0, "the permit");
        Assert.Equal(0, await journal.RunningAsync());
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => reading.Ended);
        Assert.Equal(5, (await reader.CurrentEventsByPersistenceId("a").AllAsync()).Count);
    }

    [RealServerFact(Deaf)]
    public async Task A_statement_that_waits_is_cancelled_on_the_server_and_its_permit_is_free_then()
    {
        var journal = await NewFilledJournalAsync();
        var (meter, reader) = await OpenAsync(journal, new() { MaxConcurrentQueries = 1 });
        await using var holder = await LockAsync(journal);
        await using var reading = LiveReading.Of(reader.CurrentEventsByPersistenceId("a"));
        await UntilRunningAsync(journal);

        reading.Stop();

        await Wait.UntilAsync(() => meter.PermitsUsed == 0, "the permit");
        Assert.Equal(0, await journal.RunningAsync());
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => reading.Ended);
        await holder.DisposeAsync();
        Assert.Equal(5, (await reader.CurrentEventsByPersistenceId("a").AllAsync()).Count);
    }

    // The lock is released only after the test has seen that the permit is not free.
    [SqlServerFact]
    public async Task A_permit_is_not_free_while_a_statement_whose_cancel_was_lost_runs()
    {
        var journal = await NewFilledJournalAsync();
        await using var proxy = TdsProxy.Before(journal.ReaderConnectionString);
        journal.ReaderConnectionString = proxy.ConnectionString;
        var (meter, reader) = await OpenAsync(journal, new() { MaxConcurrentQueries = 1, StatementTimeout = TimeSpan.FromSeconds(20) });
        await using var holder = await LockAsync(journal);
        var reading = LiveReading.Of(reader.CurrentEventsByPersistenceId("a"));
        await UntilRunningAsync(journal);
        proxy.LosesAttentions = true;
        reading.Stop();
        await Wait.UntilAsync(() => proxy.Attentions > 0, "the request to cancel");

        Assert.Equal(1, meter.PermitsUsed);
        Assert.Equal(1, await journal.RunningAsync());
        await holder.DisposeAsync();

        await Wait.UntilAsync(() => meter.PermitsUsed == 0, "the permit");
        Assert.Equal(0, await journal.RunningAsync());
        await reading.DisposeAsync();
        proxy.LosesAttentions = false;
        Assert.Equal(5, (await reader.CurrentEventsByPersistenceId("a").AllAsync()).Count);
    }

    [RealServerFact(Deaf)]
    public async Task A_statement_that_waits_too_long_times_out_and_is_retried()
    {
        var journal = await NewFilledJournalAsync();
        var (meter, reader) = await OpenAsync(journal, new() { StatementTimeout = TimeSpan.FromSeconds(1) });
        await using var holder = await LockAsync(journal);
        await using var reading = LiveReading.Of(reader.CurrentEventsByPersistenceId("a"));

        await Wait.UntilAsync(() => meter.Retries > 0, "a statement that is to be tried again");
        await holder.DisposeAsync();

        await reading.Ended.WithinAsync("the end of the query");
        Assert.Equal([1, 2, 3, 4, 5], reading.Events.Numbers());
    }

    [RealServerFact(Deaf)]
    public async Task A_statement_that_works_too_long_times_out_without_effect_on_the_others()
    {
        var journal = await NewSlowJournalAsync();
        var (meter, reader) = await OpenAsync(journal, new() { MaxConcurrentQueries = 1, StatementTimeout = TimeSpan.FromSeconds(2) });
        await using var slow = LiveReading.Of(reader.CurrentEventsByPersistenceId("slow"));
        await UntilRunningAsync(journal);

        Assert.Equal(5, (await reader.CurrentEventsByPersistenceId("a").AllAsync()).Count);
        Assert.InRange(meter.Retries, 1, long.MaxValue);
    }

    private async Task<SqlServerJournalUnderTest> NewFilledJournalAsync()
    {
        var journal = (SqlServerJournalUnderTest)await NewJournalAsync(TagMode.Csv);
        await journal.AppendAsync([.. TestEvents.Of("a", 1, 5), .. TestEvents.Of("slow", 1, 1)]);
        return journal;
    }

    private async Task<SqlServerJournalUnderTest> NewSlowJournalAsync()
    {
        var journal = await NewFilledJournalAsync();
        await journal.SlowDownAsync("slow");
        return journal;
    }

    // Other statements of the session must not be mistaken for the first statement.
    private static async Task<(StatementMeter Meter, JournalReader Reader)> OpenAsync(JournalUnderTest journal, JournalOptions options)
    {
        var (meter, reader) = StatementMeter.Of(() => journal.OpenReader(options));
        await reader.CurrentEventsByPersistenceId("a").AllAsync();
        return (meter, reader);
    }

    private static Task UntilRunningAsync(SqlServerJournalUnderTest journal) =>
        Wait.UntilAsync(async () => await journal.RunningAsync() > 0, () => "a statement that runs");

    // A change of the table blocks every reader until it is rolled back.
    private static async Task<DbConnection> LockAsync(JournalUnderTest journal)
    {
        var connection = await journal.ConnectAsync();
        await connection.RunAsync($"BEGIN TRANSACTION; ALTER TABLE {journal.Table} ADD held INT NULL");
        return connection;
    }
}
