using Npgsql;
using Throttled.Faults.World;
using Throttled.Journal.PostgreSql.Tests.Contract;

namespace Throttled.Faults.PostgreSql;

/// <summary>One unreadable row within statements that many queries share.</summary>
[Collection(AloneCollection.Name)]
public sealed class DamageTests(ITestOutputHelper output)
{
    private const string Culprit = "id-7";
    private static readonly TimeSpan MaxWait = TimeSpan.FromMinutes(3);

    [PostgreSqlFact]
    public Task A_row_with_damaged_pages_fails_only_its_own_queries() => RunAsync(200);

    [PostgreSqlFact]
    [Trait("Category", "Long")]
    public Task A_row_with_damaged_pages_fails_only_its_own_queries_of_very_many() => RunAsync(LongShare.Of(20_000));

    private async Task RunAsync(int queries)
    {
        using var server = PostgreSqlServer.Start();
        await using var journal = await PostgreSqlHost.CreateAsync(server);
        var ids = TestEvents.Ids("id", queries);
        var ledger = new Ledger();
        await WriteAsync(journal, ledger, [.. TestEvents.OfEach(ids, 1, 3)]);
        var ordering = await DamageAsync(journal);
        using var meter = Open(journal, out var reader);
        await using var crowd = new FeedCrowd(reader, Innocent(ids));
        await using var byId = LiveReading.Of(reader.EventsByPersistenceId(Culprit));
        await using var all = LiveReading.Of(reader.AllEvents());

        await FailsAsync(byId, ordering);
        await FailsAsync(all, ordering);
        // The events of the pages before that of the row.
        Assert.Equal([1L, 2L], byId.Events.Select(each => each.SequenceNumber));
        await crowd.UntilAsync(await ledger.FoldsAsync(journal), MaxWait);
        await meter.UntilFollowingAsync(crowd.Size);
        await WriteAsync(journal, ledger, [.. TestEvents.OfEach(ids, 4, 1)]);
        var folds = await ledger.FoldsAsync(journal);
        await crowd.UntilAsync(folds, MaxWait);
        var failed = crowd.Failed + new[] { byId, all }.Count(reading => reading.Ended.IsFaulted);
        FaultTable.Add(
            output, "corrupt row (TOAST)", "PostgreSQL", "catching up", crowd.Size + 2, queries, crowd.Lost(folds), crowd.Doubled, $"{failed} (by the row's id, all)", "-", "-");
    }

    private static StatementMeter Open(PostgreSqlJournalUnderTest journal, out JournalReader reader)
    {
        (var meter, reader) = StatementMeter.Of(() => journal.OpenReader(new() { MaxBufferSize = 2, MaxQueriesPerStatement = 20, MaxConcurrentQueries = 2 }));
        return meter;
    }

    private static IEnumerable<CrowdQuery> Innocent(IEnumerable<string> ids) =>
        [.. ids.Where(id => id != Culprit).Select(id => new CrowdQuery(CrowdKind.ById, id)), new(CrowdKind.Ids)];

    private static async Task WriteAsync(JournalUnderTest journal, Ledger ledger, JournalEvent[] events)
    {
        await journal.AppendAsync(events);
        ledger.Committed(events);
    }

    private async Task FailsAsync(LiveReading<JournalEvent> reading, long ordering)
    {
        var error = await Assert.ThrowsAsync<JournalException>(() => reading.Ended.WithinAsync("the failure of the affected query"));
        output.WriteLine($"{ordering}: {error.Message}");
        Assert.IsType<PostgresException>(error.InnerException);
        Assert.Contains("chunk number", error.Message, StringComparison.Ordinal);
    }

    // A value that is stored outside of its row, and whose chunks are missing, like after a disk fault.
    private static async Task<long> DamageAsync(PostgreSqlJournalUnderTest journal)
    {
        await using var connection = await journal.ConnectAsync();
        await connection.RunAsync(
            $"""
            ALTER TABLE {journal.Table} ALTER {journal.Tables.PayloadColumn} SET STORAGE EXTERNAL;
            UPDATE {journal.Table} SET {journal.Tables.PayloadColumn} = decode(repeat('ab', 10000), 'hex') WHERE persistence_id = '{Culprit}' AND sequence_number = 3;
            SET allow_system_table_mods = on;
            DO $$ DECLARE toast regclass := (SELECT reltoastrelid FROM pg_class WHERE oid = '{journal.Table}'::regclass); BEGIN
                UPDATE pg_class SET relkind = 'r' WHERE oid = toast;
                EXECUTE 'DELETE FROM ' || toast;
                UPDATE pg_class SET relkind = 't' WHERE oid = toast;
            END $$
            """);
        return await connection.ScalarAsync<long>(
            $"SELECT ordering FROM {journal.Table} WHERE persistence_id = '{Culprit}' AND sequence_number = 3");
    }
}
