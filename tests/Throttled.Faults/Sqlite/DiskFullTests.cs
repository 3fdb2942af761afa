using Microsoft.Data.Sqlite;
using SQLitePCL;
using Throttled.Faults.Processes;
using Throttled.Faults.World;
using Throttled.Journal.Sqlite.Tests.Contract;

namespace Throttled.Faults.Sqlite;

/// <summary>The disk has no room for another event.</summary>
[Collection(AloneCollection.Name)]
public sealed class DiskFullTests(ITestOutputHelper output)
{
    [Fact]
    public Task Readers_go_on_while_a_writer_has_no_page_left() => RunOutOfPagesAsync(150);

    [Fact]
    [Trait("Category", "Long")]
    public Task Very_many_readers_go_on_while_a_writer_has_no_page_left() => RunOutOfPagesAsync(LongShare.Of(20_000));

    [TinyDiskFact]
    public Task Readers_go_on_while_the_disk_is_full() => FillDiskAsync(150, megabytes: 16);

    [TinyDiskFact]
    [Trait("Category", "Long")]
    public Task Very_many_readers_go_on_while_the_disk_is_full() => FillDiskAsync(LongShare.Of(20_000), megabytes: 256);

    // A reader without an open writer must create the index of the WAL.
    [TinyDiskFact]
    public async Task A_reader_that_starts_while_the_disk_is_full_reads_when_there_is_room()
    {
        using var disk = new TinyDisk(4);
        await using (var journal = On(disk))
        {
            await journal.CreateAsync();
            await journal.AppendAsync("a", 1, 10);
        }
        disk.Fill();
        await using var again = On(disk);
        var (meter, reader) = StatementMeter.Of(() => again.OpenReader());
        await using var reading = LiveReading.Of(reader.EventsByPersistenceId("a"));
        await meter.MoreAsync(2, "probe");
        Assert.False(reading.Ended.IsCompleted);

        disk.Empty();

        await reading.UntilAsync(10);
    }

    private static SqliteJournalUnderTest On(TinyDisk disk) => new(Path.Combine(disk.Root, "journal.db"), JournalTables.Default);

    /// <summary>A limit of one connection, which works on every machine: the error is that of a full disk.</summary>
    private async Task RunOutOfPagesAsync(int queries)
    {
        using var host = new SqliteHost();
        await using var journal = await host.NewJournalAsync();
        await using var run = await FaultRun.StartAsync(journal, new("SQLite", queries) { OtherIds = NumberedTransactions.Ids }, output);
        var number = 0;
        await run.StrikeTwiceAsync(
            "no page left (SQLITE_FULL by max_page_count)",
            async () =>
            {
                var most = 100 + await PagesAsync(journal);
                var error = await Assert.ThrowsAsync<SqliteException>(async () =>
                {
                    for (; ; number++)
                        await WriteAsync(journal, number + 1, most);
                });
                Assert.Equal(raw.SQLITE_FULL, error.SqliteErrorCode);
                await run.Meter.MoreAsync(5, "keys");
            },
            () => WriteAsync(journal, ++number, mostPages: int.MaxValue));
        Assert.Equal(number, await NumberedTransactions.AddToLedgerAsync(run.Ledger, journal));
        await run.EndAsync();
    }

    private static async Task<long> PagesAsync(JournalUnderTest journal)
    {
        await using var connection = await journal.ConnectAsync();
        return await connection.ScalarAsync<long>("PRAGMA page_count");
    }

    private static async Task WriteAsync(JournalUnderTest journal, int number, long mostPages)
    {
        await using var transaction = await journal.BeginAsync();
        await transaction.RunAsync($"PRAGMA max_page_count = {mostPages}");
        await transaction.InsertAsync(NumberedTransactions.Transaction(number));
        await transaction.CommitAsync();
    }

    private async Task FillDiskAsync(int queries, int megabytes)
    {
        using var disk = new TinyDisk(megabytes);
        await using var journal = On(disk);
        await journal.CreateAsync();
        await using var run = await FaultRun.StartAsync(journal, new("SQLite", queries), output);
        await run.StrikeTwiceAsync(
            "disk full",
            async () =>
            {
                disk.Fill();
                var before = run.Ambiguous;
                await Wait.UntilAsync(() => run.Ambiguous >= before + 2, "a writer without room");
                await run.Meter.MoreAsync(5, "keys");
                Assert.NotEmpty(await run.Reader.CurrentAllEvents().AllAsync());
            },
            () =>
            {
                disk.Empty();
                return Task.CompletedTask;
            });
        await run.EndAsync();
    }
}
