using Throttled.Journal;
using Throttled.Journal.PostgreSql.Tests.Contract;
using Throttled.Testing;

namespace Throttled.Faults.Bounds;

/// <summary>What readers do on the database, as it says itself where it can.</summary>
internal static class RunningStatements
{
    /// <summary>The most statements that were seen to run at once while a task ran: PostgreSQL's word; the engine's where SQLite has none.</summary>
    internal static async Task<long> MostStatementsAsync(this JournalUnderTest journal, JournalReader reader, Task until)
    {
        await using var connection = await journal.ConnectAsync();
        var most = 0L;
        await Wait.UntilAsync(
            async () =>
            {
                var now = journal is PostgreSqlJournalUnderTest
                    ? await connection.ScalarAsync<long>(PostgreSqlJournalUnderTest.Running)
                    : (await EngineBooks.OfAsync(reader)).Slots;
                most = Math.Max(most, now);
                return until.IsCompleted;
            },
            () => "the end of what is watched", TimeSpan.FromMinutes(30));
        return most;
    }

    /// <summary>Ends all sessions of readers.</summary>
    internal static async Task TerminateReadersAsync(this PostgreSqlJournalUnderTest journal)
    {
        await using var connection = await journal.ConnectAsync();
        await connection.ScalarAsync<long>(
            $"""
            SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
            WHERE datname = current_database() AND application_name = '{PostgreSqlJournalUnderTest.ReaderName}'
            """);
    }
}
