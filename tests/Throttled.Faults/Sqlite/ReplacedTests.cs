using Throttled.Faults.World;
using Throttled.Journal.Sqlite.Tests.Contract;

namespace Throttled.Faults.Sqlite;

/// <summary>An older copy takes the place of the file under an open reader, which goes on with the file that it has open.</summary>
[Collection(AloneCollection.Name)]
public sealed class ReplacedTests(ITestOutputHelper output)
{
    private static readonly TimeSpan MaxWait = TimeSpan.FromMinutes(3);

    [Fact]
    public Task A_file_that_is_replaced_costs_no_query_and_the_next_reader_reads_the_new_one() => RunAsync(150);

    [Fact]
    [Trait("Category", "Long")]
    public Task A_file_that_is_replaced_under_very_many_costs_no_query_and_the_next_reader_reads_the_new_one() => RunAsync(LongShare.Of(10_000));

    private async Task RunAsync(int queries)
    {
        if (OperatingSystem.IsWindows())
            return;
        using var host = new SqliteHost();
        await using var journal = (SqliteJournalUnderTest)await host.NewJournalAsync();
        var ids = TestEvents.Ids("id", CrowdQuery.IdsOf(queries));
        var ledger = new Ledger();
        await WriteAsync(1);
        File.Copy(journal.File, $"{journal.File}.copy");
        await WriteAsync(2);
        var folds = await ledger.FoldsAsync(journal);
        var (meter, reader) = StatementMeter.Of(() => journal.OpenReader());
        using var measured = meter;
        await using (reader)
        await using (var crowd = new FeedCrowd(reader, CrowdQuery.Mixed(ids)))
        {
            await crowd.UntilAsync(folds, MaxWait);
            await meter.UntilFollowingAsync(crowd.Size);
            foreach (var left in (string[])["-wal", "-shm"])
                File.Delete(journal.File + left);
            File.Move($"{journal.File}.copy", journal.File, overwrite: true);
            await WriteAsync(2);
            await meter.MoreAsync(5, "keys");
            await crowd.UntilAsync(folds, MaxWait);
            FaultTable.Add(
                output, "file replaced by an older copy (open readers keep the old file)", "SQLite", "following", crowd.Size, ids.Length, crowd.Lost(folds), crowd.Doubled, crowd.Failed,
                "-", "-");
        }
        await using var next = journal.OpenReader();
        Assert.Equal(2 * ids.Length, await next.CurrentAllEvents().CountAsync());

        // Closed after each write, so all events are in the file and none in the WAL.
        async Task WriteAsync(int number)
        {
            JournalEvent[] events = [.. TestEvents.OfEach(ids, number, 1)];
            await journal.AppendAsync(events);
            await journal.CloseAppenderAsync();
            if (ledger.Count < 2 * ids.Length)
                ledger.Committed(events);
        }
    }
}
