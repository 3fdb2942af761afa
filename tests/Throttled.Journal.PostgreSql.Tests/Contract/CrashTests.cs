using System.Diagnostics;
using Npgsql;
using Throttled.Journal.Contract;
using Xunit.Abstractions;

namespace Throttled.Journal.PostgreSql.Tests.Contract;

/// <summary>A server that is killed and comes back costs no query and no event.</summary>
[Collection(AloneCollection.Name)]
public sealed class CrashTests(ITestOutputHelper output)
{
    private const int Queries = 10_000;

    [PostgreSqlFact]
    public async Task A_crash_while_catching_up_costs_no_query_and_no_event()
    {
        using var server = PostgreSqlServer.Start();
        await using var journal = await PostgreSqlHost.CreateAsync(server);
        var ids = TestEvents.Ids("id", Queries);
        await journal.AppendAsync([.. TestEvents.OfEach(ids, 1, 20)]);
        // So slowly that the crash comes in the middle.
        var (meter, reader) = StatementMeter.Of(() => journal.OpenReader(new() { MaxBufferSize = 5, MaxQueriesPerSecond = 100, Burst = 1 }));
        await using var crowd = new Crowd(reader, ids);
        await crowd.UntilAsync(2 * Queries);

        server.Kill();
        var atCrash = crowd.Events;
        Assert.True(atCrash < 20 * Queries, "All events were read before the crash.");
        server.Start();

        await RecoverAsync(crowd, atCrash, 20 * Queries);
        await meter.UntilFollowingAsync(Queries);
        await WriteAsync(journal, ids, 21);
        await crowd.UntilAsync(21 * Queries);
        output.WriteLine($"{meter}");
    }

    [PostgreSqlFact]
    public async Task A_crash_while_following_costs_no_query_and_no_event()
    {
        using var server = PostgreSqlServer.Start();
        await using var journal = await PostgreSqlHost.CreateAsync(server);
        var ids = TestEvents.Ids("id", Queries);
        await journal.AppendAsync([.. TestEvents.OfEach(ids, 1, 2)]);
        // An interval in which events can be committed that nobody has read when the server is killed.
        var (meter, reader) = StatementMeter.Of(() => journal.OpenReader(new() { RefreshInterval = TimeSpan.FromSeconds(3) }));
        await using var crowd = new Crowd(reader, ids);
        await crowd.UntilAsync(2 * Queries);
        await meter.UntilFollowingAsync(Queries);

        // Committed, and gone with the server before most could be read.
        await WriteAsync(journal, ids, 3);
        server.Kill();
        var atCrash = crowd.Events;
        await meter.MoreAsync(3, "probe");
        await crowd.CheckAsync();
        server.Start();
        var writing = WriteAsync(journal, ids, 4, 5, 6);

        await RecoverAsync(crowd, atCrash, 3 * Queries);
        await writing;
        await crowd.UntilAsync(6 * Queries);
        await meter.UntilFollowingAsync(Queries);
        output.WriteLine($"{meter}");
    }

    [PostgreSqlFact]
    [Trait("Category", "Long")]
    public async Task Crash_upon_crash_costs_no_query_and_no_event()
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

    private async Task RecoverAsync(Crowd crowd, long events, long all)
    {
        var start = Stopwatch.GetTimestamp();
        await Wait.UntilAsync(() => crowd.Events > events || crowd.Events >= all, "the first event after the restart");
        var first = Stopwatch.GetElapsedTime(start);
        await crowd.UntilAsync(all);
        output.WriteLine($"{events} events at the crash; the next {first.TotalSeconds:0.00} s after the restart, "
            + $"all {all} after {Stopwatch.GetElapsedTime(start).TotalSeconds:0.00} s.");
    }

    // One event of each id in a transaction, over crashes: all of it is there or nothing.
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
