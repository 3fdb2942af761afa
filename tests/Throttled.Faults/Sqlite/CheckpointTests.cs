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
    private int _restarts;

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
        output.WriteLine($"At least {transactions} transactions of 1 MB, twice: the WAL restarted {_restarts} times and had {_longestWal >> 10} KB at most; the longest wait for the lock was {_longestWait.TotalMilliseconds:0} ms");
        Assert.InRange(_longestWait, TimeSpan.Zero, TimeSpan.FromSeconds(10));
    }

    private static async Task<bool> TruncatesAsync(SqliteJournalUnderTest journal)
    {
        await using var connection = await journal.ConnectAsync();
        return await connection.ScalarAsync<long>("PRAGMA wal_checkpoint(TRUNCATE)") == 0;
    }

    // The appenders let the WAL grow to 8,000 pages (32 MB) before it restarts. Under a permanent read transaction it never would.
    private async Task WriteAsync(SqliteJournalUnderTest journal, int transactions)
    {
        await using var writer = await journal.ConnectAsync();
        var before = _restarts;
        var salt = await SaltAsync(journal);
        for (var i = 0; i < transactions || _restarts == before; i++)
        {
            Assert.True(i < 10 * transactions, $"The WAL did not restart in {i} transactions of 1 MB.");
            await WriteOneAsync(writer);
            _longestWal = Math.Max(_longestWal, new FileInfo($"{journal.File}-wal").Length);
            var now = await SaltAsync(journal);
            _restarts += salt == 0 || now == salt ? 0 : 1;
            salt = now;
        }
    }

    // Bytes 16 to 23 of the header change at each restart: https://www.sqlite.org/fileformat2.html#walformat
    private static async Task<long> SaltAsync(SqliteJournalUnderTest journal)
    {
        var header = new byte[32];
        await using var wal = new FileStream($"{journal.File}-wal", FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete);
        return await wal.ReadAtLeastAsync(header, 32, throwOnEndOfStream: false) < 32 ? 0 : BitConverter.ToInt64(header, 16);
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
