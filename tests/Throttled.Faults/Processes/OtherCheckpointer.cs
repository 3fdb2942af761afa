using Throttled.Journal.Sqlite.Tests.Contract;

namespace Throttled.Faults.Processes;

/// <summary>Writes megabytes beside the journal and starts a checkpoint of the WAL. It prints a line before, so it can be killed within.</summary>
internal static class OtherCheckpointer
{
    internal static async Task RunAsync(string file)
    {
        await using var journal = new SqliteJournalUnderTest(file, JournalTables.Default);
        await using var connection = await journal.ConnectAsync();
        await connection.RunAsync("PRAGMA wal_autocheckpoint = 0; PRAGMA synchronous = FULL; CREATE TABLE IF NOT EXISTS ballast (bytes BLOB)");
        for (var number = 1; ; number++)
        {
            await connection.RunAsync($"BEGIN IMMEDIATE; DELETE FROM ballast; INSERT INTO ballast VALUES (randomblob({16 << 20})); COMMIT");
            Console.WriteLine($"checkpoint {number}");
            await connection.RunAsync("PRAGMA wal_checkpoint(RESTART)");
        }
    }
}
