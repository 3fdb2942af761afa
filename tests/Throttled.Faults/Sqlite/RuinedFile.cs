using System.Data.Common;
using Throttled.Faults.Processes;
using Throttled.Journal.Sqlite.Tests.Contract;

namespace Throttled.Faults.Sqlite;

/// <summary>The file of a journal that is overwritten while it is locked for writers, and then restored.</summary>
internal sealed class RuinedFile(SqliteJournalUnderTest journal, DbConnection locker) : IAsyncDisposable
{
    private string Good => $"{journal.File}.good";

    private string Bad => $"{journal.File}.bad";

    internal static async Task<RuinedFile> OfAsync(SqliteJournalUnderTest journal)
    {
        await journal.ExecuteAsync("CREATE TABLE counter (x INTEGER); INSERT INTO counter VALUES (1)");
        return new(journal, await journal.ConnectAsync());
    }

    /// <summary>Overwrites the file with a megabyte of garbage.</summary>
    internal Task RuinAsync() => RuinAsync(_ => [.. Enumerable.Repeat((byte)'x', 1 << 20)]);

    /// <summary>Cuts off the pages of the second half.</summary>
    internal Task CutAsync() => RuinAsync(good => good[..(good.Length / PageDamage.Page / 2 * PageDamage.Page)]);

    private async Task RuinAsync(Func<byte[], byte[]> ruin)
    {
        await Wait.UntilAsync(LockOutAsync, () => "an empty WAL");
        await File.WriteAllTextAsync(Good, "");
        await OtherProcess.RunAsync("repair", Good, journal.File);
        await File.WriteAllBytesAsync(Bad, ruin(await File.ReadAllBytesAsync(Good)));
        await OtherProcess.RunAsync("ruin", journal.File, Bad);
        // A commit makes readers drop their cached pages.
        await locker.RunAsync("COMMIT; BEGIN IMMEDIATE");
    }

    internal async Task PutBackAsync()
    {
        await OtherProcess.RunAsync("repair", journal.File, Good);
        // Writers also cache pages that they have read in the meantime, until the next commit.
        await locker.RunAsync("UPDATE counter SET x = x + 1; COMMIT");
    }

    public ValueTask DisposeAsync() => locker.DisposeAsync();

    /// <returns>Whether all commits are in the file itself.</returns>
    private async Task<bool> LockOutAsync()
    {
        await locker.RunAsync("PRAGMA wal_checkpoint(TRUNCATE); BEGIN IMMEDIATE; UPDATE counter SET x = x + 1");
        if (new FileInfo($"{journal.File}-wal").Length == 0)
            return true;
        await locker.RunAsync("ROLLBACK");
        return false;
    }
}
