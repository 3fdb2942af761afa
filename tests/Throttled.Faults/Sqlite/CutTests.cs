using Throttled.Faults.World;
using Throttled.Journal.Sqlite.Tests.Contract;

namespace Throttled.Faults.Sqlite;

/// <summary>
/// The file loses the pages of its second half while it is read, and gets them back. Queries that read a missing page may fail with the reason. None
/// may skip events, and a query that continues from its position gets the rest. No page is cut in its middle: SQLite would read zeros without an error.
/// </summary>
[Collection(AloneCollection.Name)]
public sealed class CutTests(ITestOutputHelper output)
{
    private const int Each = 10;

    [Fact]
    public Task A_file_that_is_cut_off_costs_no_event() => RunAsync(150);

    [Fact]
    [Trait("Category", "Long")]
    public Task A_file_that_is_cut_off_under_very_many_costs_no_event() => RunAsync(LongShare.Of(10_000));

    private async Task RunAsync(int queries)
    {
        using var host = new SqliteHost();
        await using var journal = (SqliteJournalUnderTest)await host.NewJournalAsync();
        var ids = TestEvents.Ids("id", queries);
        await journal.AppendAsync([.. TestEvents.OfEach(ids, 1, Each)]);
        await journal.CloseAppenderAsync();
        await using var file = await RuinedFile.OfAsync(journal);
        var (meter, reader) = StatementMeter.Of(() => journal.OpenReader(
            new() { MaxBufferSize = 4, MaxQueriesPerStatement = 20, MaxQueriesPerSecond = Math.Max(40, queries / 10), Burst = 1 }));
        using var measured = meter;
        var readings = ids.Select(id => LiveReading.Of(reader.EventsByPersistenceId(id))).ToList();
        await Wait.UntilAsync(() => readings.Sum(reading => reading.Count) > queries / 2, "queries that catch up");

        await file.CutAsync();
        await Wait.UntilAsync(() => meter.Retries > 0 || readings.Any(reading => reading.Ended.IsCompleted), "a query that reads past the end");
        await file.PutBackAsync();

        await Wait.UntilAsync(() => readings.TrueForAll(reading => reading.Count == Each || reading.Ended.IsCompleted), "all events, or an error, for each", TimeSpan.FromMinutes(2));
        var (failed, lost, doubled) = (0, 0, 0);
        foreach (var (id, reading) in ids.Zip(readings))
        {
            List<long> numbers = [.. reading.Events.Select(each => each.SequenceNumber)];
            if (reading.Ended.IsCompleted)
            {
                failed++;
                var error = await Assert.ThrowsAsync<JournalException>(() => reading.Ended);
                Assert.Contains("malformed", error.Message, StringComparison.Ordinal);
                numbers.AddRange((await reader.CurrentEventsByPersistenceId(id, numbers.Count + 1).AllAsync()).Select(each => each.SequenceNumber));
            }
            lost += Each - numbers.Distinct().Count();
            doubled += numbers.Count - numbers.Distinct().Count();
            Assert.Equal(numbers.Order(), numbers);
            await reading.DisposeAsync();
        }
        FaultTable.Add(output, "file cut to its half and put back", "SQLite", "catching up", queries, 0, lost, doubled, $"{failed} (that read it)", "-", "-");
        Assert.Equal((0, 0), (lost, doubled));
    }
}
