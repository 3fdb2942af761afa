using System.Data.Common;
using Throttled.Faults.Processes;
using Throttled.Testing;
using Throttled.Journal.Sqlite.Tests.Contract;

namespace Throttled.Faults.Sqlite;

/// <summary>A journal's file that is written over while nobody can write to it as a database, and whose content is then put back.</summary>
internal sealed class RuinedFile(SqliteJournalUnderTest journal, DbConnection holder) : IAsyncDisposable
{
    private string Good => $"{journal.File}.good";

    private string Bad => $"{journal.File}.bad";

    internal static async Task<RuinedFile> OfAsync(SqliteJournalUnderTest journal)
    {
        await journal.ExecuteAsync("CREATE TABLE counter (x INTEGER); INSERT INTO counter VALUES (1)");
        return new(journal, await journal.ConnectAsync());
    }

    /// <summary>Writes a megabyte of garbage over it.</summary>
    internal Task RuinAsync() => RuinAsync(_ => [.. Enumerable.Repeat((byte)'x', 1 << 20)]);

    /// <summary>Cuts its second half off.</summary>
    internal Task CutAsync() => RuinAsync(good => good[..(good.Length / 2)]);

    private async Task RuinAsync(Func<byte[], byte[]> ruin)
    {
        await Wait.UntilAsync(LockOutAsync, () => "an empty WAL");
        await File.WriteAllTextAsync(Good, "");
        await OtherProcess.RunAsync("mend", Good, journal.File);
        await File.WriteAllBytesAsync(Bad, ruin(await File.ReadAllBytesAsync(Good)));
        await OtherProcess.RunAsync("ruin", journal.File, Bad);
        // A commit makes readers forget the pages that they have in memory.
        await holder.RunAsync("COMMIT; BEGIN IMMEDIATE");
    }

    internal async Task PutBackAsync()
    {
        await OtherProcess.RunAsync("mend", journal.File, Good);
        // Writers too remember pages that they read meanwhile, until somebody commits.
        await holder.RunAsync("UPDATE counter SET x = x + 1; COMMIT");
    }

    public ValueTask DisposeAsync() => holder.DisposeAsync();

    /// <returns>Whether all that was committed stands in the file itself.</returns>
    private async Task<bool> LockOutAsync()
    {
        await holder.RunAsync("PRAGMA wal_checkpoint(TRUNCATE); BEGIN IMMEDIATE; UPDATE counter SET x = x + 1");
        if (new FileInfo($"{journal.File}-wal").Length == 0)
            return true;
        await holder.RunAsync("ROLLBACK");
        return false;
    }
}
