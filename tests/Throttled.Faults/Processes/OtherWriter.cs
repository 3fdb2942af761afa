using Throttled.Journal.Sqlite.Tests.Contract;

namespace Throttled.Faults.Processes;

/// <summary>Writes the numbered transactions and prints its progress, so it can be killed within one.</summary>
internal static class OtherWriter
{
    internal static async Task RunAsync(string file)
    {
        await using var journal = new SqliteJournalUnderTest(file, JournalTables.Default);
        for (var number = await NumberedTransactions.CountAsync(journal) + 1; ; number++)
        {
            await using var transaction = await journal.BeginAsync();
            // With a small cache, a part of the transaction is in the WAL before its end.
            await transaction.RunAsync("PRAGMA cache_size = 10");
            var events = NumberedTransactions.Transaction(number);
            await transaction.InsertAsync(events[..(events.Length / 2)]);
            Console.WriteLine($"half {number}");
            await transaction.InsertAsync(events[(events.Length / 2)..]);
            await transaction.CommitAsync();
            Console.WriteLine($"whole {number}");
        }
    }
}
