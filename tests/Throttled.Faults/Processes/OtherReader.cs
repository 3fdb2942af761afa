using Throttled.Journal;
using Throttled.Journal.Sqlite;
using Throttled.Journal.Sqlite.Tests.Contract;
using Throttled.Testing;

namespace Throttled.Faults.Processes;

/// <summary>Reads a journal and prints what it gets.</summary>
internal static class OtherReader
{
    /// <summary>Reads all events behind a position by the library.</summary>
    internal static async Task RunAsync(string file, long after)
    {
        await using var reader = SqliteJournal.OpenReader($"Data Source={file}", new() { MaxBufferSize = 20 });
        await foreach (var each in reader.AllEvents(after))
            Console.WriteLine($"event {each.Ordering}");
    }

    /// <summary>Stands in the middle of a read for good.</summary>
    internal static async Task HoldAsync(string file)
    {
        await using var journal = new SqliteJournalUnderTest(file, JournalTables.Default);
        await using var connection = await journal.ConnectAsync();
        await connection.RunAsync("BEGIN");
        Console.WriteLine($"held {await connection.ScalarAsync<long>("SELECT count(*) FROM journal")}");
        await Task.Delay(Timeout.InfiniteTimeSpan, TimeProvider.System, CancellationToken.None);
    }
}
