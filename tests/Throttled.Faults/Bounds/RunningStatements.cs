using Throttled.Journal.PostgreSql.Tests.Contract;

namespace Throttled.Faults.Bounds;

/// <summary>The statements of readers on the database, as the database itself reports them if it can.</summary>
internal static class RunningStatements
{
    /// <summary>The highest number of statements at once while a task ran: from PostgreSQL itself, and for SQLite from the engine.</summary>
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
            () => "the end of the watched run", TimeSpan.FromMinutes(30));
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
