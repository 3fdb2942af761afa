using Throttled.Journal.Sqlite;
using Throttled.Journal.Sqlite.Tests.Contract;

namespace Throttled.Faults.Processes;

/// <summary>Reads a journal and prints the events.</summary>
internal static class OtherReader
{
    /// <summary>Reads all events after a position with the library.</summary>
    internal static async Task RunAsync(string file, long after)
    {
        await using var reader = SqliteJournal.OpenReader($"Data Source={file}", new() { MaxBufferSize = 20 });
        await foreach (var each in reader.AllEvents(after))
            Console.WriteLine($"event {each.Ordering}");
    }

    /// <summary>Begins a read transaction and never ends it.</summary>
    internal static async Task BlockAsync(string file)
    {
        await using var journal = new SqliteJournalUnderTest(file, JournalTables.Default);
        await using var connection = await journal.ConnectAsync();
        await connection.RunAsync("BEGIN");
        Console.WriteLine($"blocked {await connection.ScalarAsync<long>("SELECT count(*) FROM journal")}");
        await Task.Delay(Timeout.InfiniteTimeSpan, TimeProvider.System, CancellationToken.None);
    }
}
