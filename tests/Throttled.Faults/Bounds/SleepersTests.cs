using Throttled.Faults.World;
using System.Diagnostics;
using Throttled.Testing;
using Throttled.Journal.PostgreSql.Tests.Contract;
using Throttled.Journal.Sqlite.Tests.Contract;
using Xunit.Abstractions;

namespace Throttled.Faults.Bounds;

/// <summary>Readers that stop for long cost a page at most, and together no more than the byte budget, however many they are.</summary>
[Collection(AloneCollection.Name)]
public sealed class SleepersTests(PostgreSqlHost postgreSql, SqliteHost sqlite, ITestOutputHelper output)
{
    private const int Permits = 4;
    private const int Page = 10;
    private const int Events = 12;
    private const int Awake = 50;

    // What a statement gathers before it counts it, as 'MaxBufferedBytes' says.
    private const long Step = 16 * 1024;

    private static readonly long EventBytes = TestEvents.One("sleeper-0", 1).Bytes;

    [PostgreSqlFact]
    public Task A_thousand_readers_that_sleep_stay_within_the_bytes_on_PostgreSql() => RunAsync(postgreSql, 1_000);

    [Fact]
    public Task A_thousand_readers_that_sleep_stay_within_the_bytes_on_Sqlite() => RunAsync(sqlite, 1_000);

    [PostgreSqlFact]
    [Trait("Category", "Long")]
    public Task Very_many_readers_that_sleep_stay_within_the_bytes_on_PostgreSql() => RunAsync(postgreSql, LongShare.Of(100_000));

    [Fact]
    [Trait("Category", "Long")]
    public Task Very_many_readers_that_sleep_stay_within_the_bytes_on_Sqlite() => RunAsync(sqlite, LongShare.Of(100_000));

    private async Task RunAsync(IJournalHost host, int sleepers)
    {
        await using var journal = await host.NewJournalAsync();
        await AppendAsync(journal, TestEvents.Ids("sleeper", sleepers));
        await AppendAsync(journal, TestEvents.Ids("awake", Awake));
        // Half of what they would hold if all of them kept their pages.
        var budget = sleepers * Page * EventBytes / 2;
        var (meter, reader) = StatementMeter.Of(() => journal.OpenReader(
            new() { MaxBufferedBytes = budget, MaxConcurrentQueries = Permits, MaxBufferSize = Page }));
        using var measuring = meter;
        using var watch = new BytesWatch(reader);
        var start = Stopwatch.GetTimestamp();

        await using var crowd = new Sleepers(reader, TestEvents.Ids("sleeper", sleepers), Events);
        await crowd.UntilAsleepAsync();
        var asleep = Stopwatch.GetElapsedTime(start);
        foreach (var id in TestEvents.Ids("awake", Awake))
            Assert.Equal(Events, (await reader.CurrentEventsByPersistenceId(id).AllAsync()).Count);
        crowd.WakeUp();
        await crowd.UntilEndAsync();

        var most = await watch.StopAsync();
        output.WriteLine(
            $"{sleepers} readers asleep after {asleep.TotalSeconds:0.0} s, {Awake} others read beside them, all events of all of them after "
            + $"{Stopwatch.GetElapsedTime(start).TotalSeconds:0.0} s; at most {most} bytes of {budget}; {meter}.");
        Assert.InRange(most, budget / 2, budget + ((Permits + 1) * (Step + EventBytes)));
    }

    // Of each id more than a page, and not all in one transaction: rows in one row of memory each would be much.
    private static async Task AppendAsync(JournalUnderTest journal, string[] ids)
    {
        foreach (var some in ids.Chunk(5_000))
            await journal.AppendAsync([.. TestEvents.OfEach(some, 1, Events)]);
    }
}
