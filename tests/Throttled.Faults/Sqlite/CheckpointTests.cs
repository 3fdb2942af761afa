using System.Data.Common;
using System.Diagnostics;
using Throttled.Faults.World;
using Throttled.Journal.Sqlite.Tests.Contract;

namespace Throttled.Faults.Sqlite;

/// <summary>Readers do not block a busy writer, nor the restart of its WAL: https://www.sqlite.org/wal.html#avoiding_excessively_large_wal_files</summary>
[Collection(AloneCollection.Name)]
public sealed class CheckpointTests(ITestOutputHelper output)
{
    private const int Transaction = 1 << 20;

    private TimeSpan _longestWait;
    private long _longestWal;

    [Fact]
    public Task The_WAL_stays_short_under_readers() => RunAsync(150, transactions: 40);

    [Fact]
    [Trait("Category", "Long")]
    public Task The_WAL_stays_short_under_very_many_readers() => RunAsync(LongShare.Of(20_000), transactions: 400);

    private async Task RunAsync(int queries, int transactions)
    {
        using var host = new SqliteHost();
        await using var journal = (SqliteJournalUnderTest)await host.NewJournalAsync();
        await journal.ExecuteAsync("CREATE TABLE ballast (bytes BLOB)");
        await using var run = await FaultRun.StartAsync(journal, new("SQLite", queries), output);
        await run.StrikeTwiceAsync($"{transactions} MB written beside", () => WriteAsync(journal, transactions), () => Task.CompletedTask);
        await Wait.UntilAsync(() => TruncatesAsync(journal), () => "a checkpoint to the end while all follow");
        await run.EndAsync();
        output.WriteLine($"{transactions} transactions of 1 MB, twice: the WAL had {_longestWal >> 10} KB at most; the longest wait for the lock was {_longestWait.TotalMilliseconds:0} ms");
        // The appenders let the WAL grow to 8,000 pages. With a permanent read transaction it would grow by everything that is written.
        Assert.InRange(_longestWal, Transaction, Math.Max((8_000 * 4_120) + (4 * Transaction), 2L * transactions * Transaction / 4));
        Assert.InRange(_longestWait, TimeSpan.Zero, TimeSpan.FromSeconds(10));
    }

    private static async Task<bool> TruncatesAsync(SqliteJournalUnderTest journal)
    {
        await using var connection = await journal.ConnectAsync();
        return await connection.ScalarAsync<long>("PRAGMA wal_checkpoint(TRUNCATE)") == 0;
    }

    private async Task WriteAsync(SqliteJournalUnderTest journal, int transactions)
    {
        await using var writer = await journal.ConnectAsync();
        for (var i = 0; i < transactions; i++)
        {
            await WriteOneAsync(writer);
            _longestWal = Math.Max(_longestWal, new FileInfo($"{journal.File}-wal").Length);
        }
    }

    private async Task WriteOneAsync(DbConnection writer)
    {
        var start = Stopwatch.GetTimestamp();
        await writer.RunAsync("BEGIN IMMEDIATE");
        var wait = Stopwatch.GetElapsedTime(start);
        _longestWait = wait > _longestWait ? wait : _longestWait;
        await writer.RunAsync($"DELETE FROM ballast; INSERT INTO ballast VALUES (randomblob({Transaction})); COMMIT");
    }
}
