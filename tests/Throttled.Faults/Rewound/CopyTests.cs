using System.Diagnostics;
using Throttled.Faults.World;
using Throttled.Journal.PostgreSql.Tests.Contract;
using Throttled.Journal.Sqlite.Tests.Contract;

namespace Throttled.Faults.Rewound;

/// <summary>An older copy is restored into an open database: by the backup API of SQLite, or by <c>pg_dump</c> and <c>psql</c> into the same name.</summary>
[Collection(AloneCollection.Name)]
public sealed class CopyTests(PostgreSqlHost postgreSql, SqliteHost sqlite, ITestOutputHelper output)
{
    private const int Before = 30;

    [PostgreSqlTheory]
    [InlineData(1, 0)]
    [InlineData(20, 5)]
    [InlineData(40, 100)]
    [Trait("Category", "Long")]
    public Task A_dump_restored_into_the_same_name_ends_every_query(int lost, int written) => RestoreAsync(postgreSql, "dump restored into the same name", "PostgreSQL", lost, written);

    [Theory]
    [InlineData(1, 0)]
    [InlineData(20, 5)]
    [InlineData(40, 100)]
    [Trait("Category", "Long")]
    public Task A_file_restored_by_the_backup_api_ends_every_query(int lost, int written) => RestoreAsync(sqlite, "file restored by the backup API", "SQLite", lost, written);

    private async Task RestoreAsync(IJournalHost host, string fault, string database, int lost, int written)
    {
        await using var journal = await host.NewJournalAsync();
        await journal.AppendAsync(Selections.Mixed(0, Before));
        var (states, there) = await EveryState.OpenAsync(journal, Before);
        await using var closing = states;
        var restore = await journal.CopyAsync();
        await journal.AppendAsync(Selections.Mixed(there, lost));
        await states.UntilSeenAsync(there + lost);

        await journal.CloseAppenderAsync();
        await restore();
        var start = Stopwatch.GetTimestamp();
        var left = await journal.RowsAsync();
        JournalEvent[] anew = Selections.Mixed(there + lost, written);
        if (written > 0)
            await journal.AppendAsync(anew);

        await states.AllEndAsync();
        var all = FaultTable.Seconds(Stopwatch.GetElapsedTime(start));
        FaultTable.Add(
            output, $"{fault}, {there + lost - left.Count} {(there + lost - left.Count == 1 ? "event" : "events")} short", database, "all states", states.Count, (await journal.RowsAsync()).Count - left.Count, "-",
            states.Doubled, $"{states.Failed} (rewound)", "-", all);
        await ReopenedQueries.CheckAsync(journal, states.Reader, left[^1].Ordering, anew);
    }
}
