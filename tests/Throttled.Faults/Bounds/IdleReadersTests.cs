using Throttled.Faults.World;
using System.Diagnostics;
using Throttled.Journal.PostgreSql.Tests.Contract;
using Throttled.Journal.Sqlite.Tests.Contract;

namespace Throttled.Faults.Bounds;

/// <summary>A reader that stops for long costs at most a page, and any number of them no more than the byte budget.</summary>
[Collection(AloneCollection.Name)]
public sealed class IdleReadersTests(PostgreSqlHost postgreSql, SqliteHost sqlite, ITestOutputHelper output)
{
    private const int Permits = 4;
    private const int Page = 10;
    private const int Events = 12;
    private const int Awake = 50;

    // The bytes that a statement reads before it counts them; see 'MaxBufferedBytes'.
    private const long Step = 16 * 1024;

    private static readonly long EventBytes = TestEvents.One("sleeper-0", 1).Bytes;

    [PostgreSqlFact]
    public Task A_thousand_idle_readers_stay_within_the_bytes_on_PostgreSql() => RunAsync(postgreSql, 1_000);

    [Fact]
    public Task A_thousand_idle_readers_stay_within_the_bytes_on_Sqlite() => RunAsync(sqlite, 1_000);

    [PostgreSqlFact]
    [Trait("Category", "Long")]
    public Task Very_many_idle_readers_stay_within_the_bytes_on_PostgreSql() => RunAsync(postgreSql, LongShare.Of(100_000));

    [Fact]
    [Trait("Category", "Long")]
    public Task Very_many_idle_readers_stay_within_the_bytes_on_Sqlite() => RunAsync(sqlite, LongShare.Of(100_000));

    private async Task RunAsync(IJournalHost host, int readers)
    {
        await using var journal = await host.NewJournalAsync();
        await AppendAsync(journal, TestEvents.Ids("sleeper", readers));
        await AppendAsync(journal, TestEvents.Ids("awake", Awake));
        // Half of the bytes that all readers would need if they kept their pages.
        var budget = readers * Page * EventBytes / 2;
        var (meter, reader) = StatementMeter.Of(() => journal.OpenReader(
            new() { MaxBufferedBytes = budget, MaxConcurrentQueries = Permits, MaxBufferSize = Page }));
        using var measuring = meter;
        using var watch = new BytesWatch(reader);
        var start = Stopwatch.GetTimestamp();

        await using var crowd = new IdleReaders(reader, TestEvents.Ids("sleeper", readers), Events);
        await crowd.UntilIdleAsync();
        var idle = Stopwatch.GetElapsedTime(start);
        foreach (var id in TestEvents.Ids("awake", Awake))
            Assert.Equal(Events, (await reader.CurrentEventsByPersistenceId(id).AllAsync()).Count);
        crowd.WakeUp();
        await crowd.UntilEndAsync();

        var most = await watch.StopAsync();
        output.WriteLine(
            $"{readers} idle readers after {idle.TotalSeconds:0.0} s, {Awake} other readers beside them, all events of all readers after "
            + $"{Stopwatch.GetElapsedTime(start).TotalSeconds:0.0} s; at most {most} bytes of {budget}; {meter}.");
        Assert.InRange(most, budget / 2, budget + ((Permits + 1) * (Step + EventBytes)));
    }

    // More events than a page for each id, in several transactions, because one transaction with all rows would need much memory.
    private static async Task AppendAsync(JournalUnderTest journal, string[] ids)
    {
        foreach (var some in ids.Chunk(5_000))
            await journal.AppendAsync([.. TestEvents.OfEach(some, 1, Events)]);
    }
}
