namespace Throttled.Journal.PostgreSql.Tests.Contract;

/// <summary>Counts the permits on the database.</summary>
[Collection(AloneCollection.Name)]
public sealed class PermitTests(PostgreSqlHost host, ITestOutputHelper output)
{
    private const int Permits = 5;
    private const int Events = 200;

    [PostgreSqlFact]
    public async Task No_more_statements_run_than_there_are_permits_despite_cancellations()
    {
        await using var journal = (PostgreSqlJournalUnderTest)await host.NewJournalAsync();
        var ids = TestEvents.Ids("id", 2_000);
        await journal.AppendAsync([.. TestEvents.OfEach(ids, 1, Events)]);
        var seed = Random.Shared.Next();
        var reader = journal.OpenReader(new() { MaxConcurrentQueries = Permits, MaxBufferSize = 20, MaxQueriesPerStatement = 30 });
        var readings = Task.WhenAll(ids.Select((id, i) => ReadAsync(reader, id, new Random(seed + i))));

        var (samples, most) = await SampleAsync(journal, readings);

        output.WriteLine($"Seed {seed}: at most {most} statements in {samples} samples.");
        var whole = (await readings).Count(isWhole => isWhole);
        Assert.InRange(whole, 1, ids.Length - 1);
        Assert.InRange(most, 1, Permits + 1);
        // Without followers the tail does not poll, so that no statement is left.
        await Wait.UntilAsync(async () => await journal.RunningAsync() == 0, () => "the end of all statements");
    }

    private static async Task<(int Samples, long Most)> SampleAsync(PostgreSqlJournalUnderTest journal, Task until)
    {
        await using var connection = await journal.ConnectAsync();
        var (samples, most) = (0, 0L);
        for (; !until.IsCompleted; samples++)
            most = Math.Max(most, await connection.ScalarAsync<long>(PostgreSqlJournalUnderTest.Running));
        await until.WithinAsync("the end of all queries");
        return (samples, most);
    }

    // Half of the queries are cancelled from another task, in any state. Each reads current events repeatedly until then.
    private static async Task<bool> ReadAsync(JournalReader reader, string id, Random random)
    {
        using var source = new CancellationTokenSource();
        if (random.Next(2) == 0)
            source.CancelAfter(TimeSpan.FromMilliseconds(random.Next(2_000)));
        try
        {
            var events = 0;
            await foreach (var each in reader.CurrentEventsByPersistenceId(id).WithCancellation(source.Token))
                Assert.Equal(++events, each.SequenceNumber);
            Assert.Equal(Events, events);
            return true;
        }
        catch (OperationCanceledException) when (source.IsCancellationRequested)
        {
            return false;
        }
    }
}
