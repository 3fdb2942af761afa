using System.Data.Common;
using Throttled.Journal.Contract;
using Xunit.Abstractions;

namespace Throttled.Journal.SqlServer.Tests.Contract;

/// <summary>A query that is left in the middle of its statement: the server is told, and the permit is free when the batch has ended there.</summary>
[Collection(ServerCollection.Name)]
public sealed class CancelTests(SqlServerHost host, ITestOutputHelper output) : JournalContract(host, output)
{
    [SqlServerTheory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_statement_that_waits_is_cancelled_on_the_server_and_its_permit_is_free_then(bool inOrder)
    {
        var (journal, meter, reader) = await NewReadAsync();
        await using var holder = await LockAsync(journal);
        await using var reading = LiveReading.Of(inOrder ? reader.CurrentAllEvents() : reader.CurrentEventsByPersistenceId("a"));
        await UntilRunningAsync(journal);

        reading.Stop();

        await Wait.UntilAsync(() => meter.PermitsUsed == 0, "the permit");
        Assert.Equal(0, await journal.RunningAsync());
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => reading.Ended);
        await holder.DisposeAsync();
        Assert.Equal(5, (await reader.CurrentEventsByPersistenceId("a").AllAsync()).Count);
    }

    [SqlServerFact]
    public async Task A_permit_is_not_free_while_the_server_runs_a_statement_whose_cancel_was_lost()
    {
        var journal = (SqlServerJournalUnderTest)await NewJournalAsync();
        await journal.AppendAsync("a", 1, 5);
        await using var proxy = TdsProxy.Before(journal.ReaderConnectionString);
        journal.ReaderConnectionString = proxy.ConnectionString;
        var (meter, reader) = StatementMeter.Of(() => journal.OpenReader(new() { MaxConcurrentQueries = 1, StatementTimeout = TimeSpan.FromHours(1) }));
        await reader.CurrentEventsByPersistenceId("a").AllAsync();
        await using var holder = await LockAsync(journal);
        var reading = LiveReading.Of(reader.CurrentEventsByPersistenceId("a"));
        await UntilRunningAsync(journal);
        proxy.LosesAttentions = true;
        reading.Stop();
        await Wait.UntilAsync(() => proxy.Attentions > 0, "the request to cancel");

        Assert.Equal(1, meter.PermitsUsed);
        Assert.Equal(1, await journal.RunningAsync());
        proxy.LosesAttentions = false;
        await holder.DisposeAsync();

        await Wait.UntilAsync(() => meter.PermitsUsed == 0, "the permit");
        Assert.Equal(0, await journal.RunningAsync());
        await reading.DisposeAsync();
        Assert.Equal(5, (await reader.CurrentEventsByPersistenceId("a").AllAsync()).Count);
    }

    [SqlServerFact]
    public async Task A_statement_that_runs_too_long_is_ended_and_read_again()
    {
        var journal = (SqlServerJournalUnderTest)await NewJournalAsync();
        await journal.AppendAsync("a", 1, 5);
        var (meter, reader) = StatementMeter.Of(() => journal.OpenReader(new() { StatementTimeout = TimeSpan.FromSeconds(1) }));
        await reader.CurrentEventsByPersistenceId("a").AllAsync();
        await using var holder = await LockAsync(journal);
        await using var reading = LiveReading.Of(reader.CurrentEventsByPersistenceId("a"));

        await Wait.UntilAsync(() => meter.Retries > 0, "a statement that is to be tried again");
        await holder.DisposeAsync();

        await reading.Ended.WithinAsync("the end of the query");
        Assert.Equal([1, 2, 3, 4, 5], reading.Events.Numbers());
    }

    private async Task<(SqlServerJournalUnderTest Journal, StatementMeter Meter, JournalReader Reader)> NewReadAsync()
    {
        var journal = (SqlServerJournalUnderTest)await NewJournalAsync();
        await journal.AppendAsync("a", 1, 5);
        var (meter, reader) = StatementMeter.Of(() => journal.OpenReader(new() { MaxConcurrentQueries = 1 }));
        // What the first statement does beside itself must not pass for it.
        await reader.CurrentEventsByPersistenceId("a").AllAsync();
        await reader.CurrentAllEvents().AllAsync();
        return (journal, meter, reader);
    }

    private static Task UntilRunningAsync(SqlServerJournalUnderTest journal) =>
        Wait.UntilAsync(async () => await journal.RunningAsync() > 0, () => "a statement that waits for its lock");

    // A change of the table lets nobody read it until it is rolled back.
    private static async Task<DbConnection> LockAsync(JournalUnderTest journal)
    {
        var connection = await journal.ConnectAsync();
        await connection.RunAsync($"BEGIN TRANSACTION; ALTER TABLE {journal.Table} ADD held INT NULL");
        return connection;
    }
}
