using Throttled.Faults.World;
using Throttled.Journal.Sqlite.Tests.Contract;

namespace Throttled.Faults.Sqlite;

/// <summary>The schema of the file is changed while it is read.</summary>
[Collection(AloneCollection.Name)]
public sealed class SchemaTests(ITestOutputHelper output)
{
    private int _strikes;

    [Fact]
    public Task A_column_an_index_and_a_vacuum_cost_no_query_and_no_event() => RunAsync(150);

    [Fact]
    [Trait("Category", "Long")]
    public Task A_column_an_index_and_a_vacuum_under_very_many_cost_no_query_and_no_event() => RunAsync(LongShare.Of(20_000));

    private async Task RunAsync(int queries)
    {
        using var host = new SqliteHost();
        await using var journal = await host.NewJournalAsync();
        await using var run = await FaultRun.StartAsync(journal, new("SQLite", queries), output);
        await run.StrikeTwiceAsync("schema changed: column, index, VACUUM, checkpoint TRUNCATE and RESTART", () => ChangeAsync(journal), () => Task.CompletedTask);
        await run.EndAsync();
    }

    private async Task ChangeAsync(JournalUnderTest journal)
    {
        var name = $"more_{++_strikes}";
        string[] changes =
        [
            $"ALTER TABLE {journal.Table} ADD COLUMN {name} TEXT DEFAULT 'x'", "PRAGMA wal_checkpoint(RESTART)",
            $"CREATE INDEX {name}_index ON {journal.Table} ({name}, persistence_id)", "VACUUM", "PRAGMA wal_checkpoint(TRUNCATE)",
            $"DROP INDEX {name}_index", $"ALTER TABLE {journal.Table} RENAME COLUMN {name} TO {name}_too", "ANALYZE", "PRAGMA wal_checkpoint(TRUNCATE)",
        ];
        foreach (var change in changes)
            await journal.ExecuteAsync(change);
    }
}
