using System.Data.Common;
using Throttled.Journal.Sqlite;
using Throttled.Journal.Sqlite.Tests.Contract;

namespace Throttled.Faults.Bounds;

/// <summary>
/// On SQLite, where no lock can block a reader for longer than its busy timeout. Readers read a view of the table in which the time of a row
/// never ends to compute, or cannot be computed.
/// </summary>
internal sealed class SqliteTrouble(JournalUnderTest journal, string file) : Trouble(journal)
{
    private const string View = "troubled";

    // An expression that depends on the row is computed only when there is a row.
    private const string Time =
        """
        CASE (SELECT what FROM trouble)
            WHEN 'block' THEN (WITH RECURSIVE n(i) AS (SELECT ordering UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n)
            WHEN 'fail' THEN abs(-9223372036854775807 - 1 + 0 * ordering)
            ELSE created END
        """;

    internal static async Task<Trouble> OnAsync(SqliteHost host)
    {
        var journal = await host.NewJournalAsync();
        await using var connection = await journal.ConnectAsync();
        var trouble = new SqliteTrouble(journal, connection.DataSource);
        await connection.RunAsync("CREATE TABLE trouble (what TEXT)");
        await trouble.CreateViewAsync();
        return trouble;
    }

    internal override JournalReader OpenReader(JournalOptions options) => SqliteJournal.OpenReader(
        $"Data Source={file}", options with { Tables = Journal.Tables with { JournalTable = View } });

    internal override Task BlockAsync() => Journal.ExecuteAsync("INSERT INTO trouble VALUES ('block')");

    internal override Task<Task> BlockConnectionsAsync(int count) => throw new NotSupportedException("SQLite has no connections that could wait.");

    internal override async Task FailAsync(Action begin, Func<Task<bool>> until)
    {
        await Journal.ExecuteAsync("INSERT INTO trouble VALUES ('fail')");
        begin();
        await Wait.UntilAsync(until, () => "statements that failed");
    }

    internal override Task BreakAsync() => Journal.ExecuteAsync($"DROP VIEW {View}");

    internal override async Task EndAsync()
    {
        await Journal.ExecuteAsync("DELETE FROM trouble");
        await CreateViewAsync();
    }

    internal override Task<long> RunningAsync() => Task.FromResult(0L);

    private Task CreateViewAsync() => Journal.ExecuteAsync(
        $"""
        CREATE VIEW IF NOT EXISTS {View} AS
        SELECT ordering, deleted, persistence_id, sequence_number, {Time} AS created, message, identifier, manifest, writer_uuid
        FROM {Journal.Table}
        """);
}
