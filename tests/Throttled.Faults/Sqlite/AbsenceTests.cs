using Throttled.Faults.World;
using Throttled.Journal.Sqlite;
using Throttled.Journal.Sqlite.Tests.Contract;

namespace Throttled.Faults.Sqlite;

/// <summary>The directory of the journal is removed and restored, and a journal that is created late.</summary>
[Collection(AloneCollection.Name)]
public sealed class AbsenceTests(ITestOutputHelper output)
{
    [Fact]
    public Task A_directory_that_is_missing_for_a_while_costs_no_query_and_no_event() => MoveAsync(150);

    [Fact]
    [Trait("Category", "Long")]
    public Task A_directory_that_is_missing_for_a_while_costs_none_of_very_many() => MoveAsync(LongShare.Of(20_000));

    [Fact]
    public Task Queries_that_start_before_the_journal_exists_get_all_of_it() => ComeLateAsync(150);

    [Fact]
    [Trait("Category", "Long")]
    public Task Very_many_queries_that_start_before_the_journal_exists_get_all_of_it() => ComeLateAsync(LongShare.Of(20_000));

    // A reader with an open file continues with it after the move; a new reader waits.
    private async Task MoveAsync(int queries)
    {
        using var host = new SqliteHost();
        var home = Directory.CreateTempSubdirectory("throttled-home-").FullName;
        var (directory, elsewhere) = (Path.Combine(home, "here"), Path.Combine(home, "elsewhere"));
        Directory.CreateDirectory(directory);
        await using (var journal = new SqliteJournalUnderTest(Path.Combine(directory, "journal.db"), JournalTables.Default))
        {
            await journal.CreateAsync();
            await using var run = await FaultRun.StartAsync(journal, new("SQLite", queries), output);
            await run.StrikeTwiceAsync(
                "directory moved away, an empty file in its place",
                async () =>
                {
                    Directory.Move(directory, elsewhere);
                    await File.WriteAllTextAsync(directory, "");
                    await NewcomerWaitsAsync(journal, run);
                },
                () =>
                {
                    File.Delete(directory);
                    Directory.Move(elsewhere, directory);
                    return Task.CompletedTask;
                });
            await run.EndAsync();
        }
        Directory.Delete(home, recursive: true);
    }

    private static async Task NewcomerWaitsAsync(SqliteJournalUnderTest journal, FaultRun run)
    {
        var (meter, reader) = StatementMeter.Of(() => SqliteJournal.OpenReader($"Data Source={journal.File}"));
        await using (reader)
        await using (var reading = LiveReading.Of(reader.AllEvents()))
        {
            await meter.MoreAsync(2, "probe");
            Assert.Equal(0, reading.Count);
            Assert.False(reading.Ended.IsCompleted);
        }
        await run.Meter.MoreAsync(2, "keys");
    }

    private async Task ComeLateAsync(int queries)
    {
        using var host = new SqliteHost();
        await using var journal = (SqliteJournalUnderTest)await host.NewAbsentJournalAsync(JournalTables.Default);
        var ids = TestEvents.Ids("id", CrowdQuery.IdsOf(queries));
        var (meter, reader) = StatementMeter.Of(() => journal.OpenReader());
        await using var crowd = new FeedCrowd(reader, CrowdQuery.Mixed(ids));
        await meter.MoreAsync(1, "probe");
        // A database without tables, then the tables, then events.
        await journal.ExecuteAsync("PRAGMA journal_mode = WAL; CREATE TABLE other (x)");
        await meter.MoreAsync(1, "probe");
        crowd.Check();
        await journal.CreateAsync();
        var ledger = new Ledger();
        await using var writer = new LedgerWriter(journal, ledger, ids);
        await writer.WriteAllAsync();
        await writer.WriteAllAsync();
        await crowd.UntilAsync(await ledger.FoldsAsync(journal), TimeSpan.FromMinutes(2));
        await Wait.UntilAsync(() => meter.PermitsUsed == 0, () => $"no permit in use; there are {meter.PermitsUsed}");
        output.WriteLine($"{crowd.Events} deliveries; {meter}");
    }
}
