using System.Diagnostics;
using Npgsql;

namespace Throttled.Journal.PostgreSql.Tests.Contract;

/// <summary>Repeated kills of the server at random times end no query and lose no event. For one crash see Throttled.Faults.</summary>
[Collection(AloneCollection.Name)]
public sealed class CrashTests(ITestOutputHelper output)
{
    private const int Queries = 10_000;

    [PostgreSqlFact]
    [Trait("Category", "Long")]
    public async Task Repeated_crashes_end_no_query_and_lose_no_event()
    {
        var crashes = LongShare.Of(20);
        using var server = PostgreSqlServer.Start();
        await using var journal = await PostgreSqlHost.CreateAsync(server);
        var ids = TestEvents.Ids("id", Queries);
        await journal.AppendAsync([.. TestEvents.OfEach(ids, 1, 1)]);
        var reader = journal.OpenReader(new() { MaxBufferSize = 5, MaxConcurrentQueries = 10 });
        await using var crowd = new Crowd(reader, ids);
        for (var crash = 1; crash <= crashes; crash++)
        {
            var events = crowd.Events;
            var writing = WriteAsync(journal, ids, crash + 1);
            await Wait.UntilAsync(() => crowd.Events >= events + Random.Shared.Next(Queries), "some events of the crowd");
            server.Restart();
            var start = Stopwatch.GetTimestamp();
            await writing;
            await crowd.UntilAsync((crash + 1L) * Queries);
            output.WriteLine($"Crash {crash}: all events {Stopwatch.GetElapsedTime(start).TotalSeconds:0.0} s after the restart.");
        }
    }

    // One event of each id in a transaction, during crashes: either all of it is stored or nothing.
    private static async Task WriteAsync(JournalUnderTest journal, string[] ids, params int[] numbers)
    {
        foreach (var number in numbers)
        {
            await Wait.UntilAsync(() => WriteOnceAsync(journal, ids, number), () => $"event {number} of each id written");
        }
    }

    private static async Task<bool> WriteOnceAsync(JournalUnderTest journal, string[] ids, int number)
    {
        try
        {
            await using var connection = await journal.ConnectAsync();
            if (await connection.ScalarAsync<long>($"SELECT count(*) FROM {journal.Table} WHERE sequence_number = {number}") == 0)
                await journal.AppendAsync([.. TestEvents.OfEach(ids, number, 1)]);
            return true;
        }
        catch (NpgsqlException)
        {
            return false;
        }
    }
}
