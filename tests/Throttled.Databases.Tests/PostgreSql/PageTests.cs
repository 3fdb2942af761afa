using Throttled.Journal.Database;
using Throttled.Journal.Relational;
using Throttled.Journal.Rows;
using static Throttled.Journal.PostgreSql.Tests.TestJournal;

namespace Throttled.Journal.PostgreSql.Tests;

public class PageTests
{
    [PostgreSqlFact]
    public async Task Ids_that_are_equal_in_the_collation_of_the_column_are_different_ids()
    {
        await using var journal = await CreateAsync();
        await journal.ExecuteAsync(
            """
            CREATE COLLATION any_case (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
            ALTER TABLE journal ALTER persistence_id TYPE varchar(255) COLLATE any_case
            """);
        await journal.AppendAsync("abc", 2);
        await journal.AppendAsync(Event("ABC", 3));
        var reads = await journal.ReadAsync(Ask("abc"), Ask("ABC"), Ask("Abc"));
        Assert.Equal([2, 3, null], reads.Select(result => result!.Value.LastRow));
        Assert.Equal([2, 1, 0], reads.Select(result => result!.Value.Page?.Count ?? 0));
    }

    [PostgreSqlFact]
    public async Task Queries_of_a_statement_get_their_own_pages()
    {
        await using var journal = await CreateAsync();
        await journal.AppendAsync("b", 5);
        await journal.AppendAsync("a", 3);
        var pages = await journal.ReadAsync(new("a", new(2, 3), 10), Ask("none"), Ask("b", limit: 2), new("b", new(4, 4), 10));
        Assert.Equal([2, 3], Numbers(pages[0]));
        Assert.Empty(Numbers(pages[1]));
        Assert.Equal([1, 2], Numbers(pages[2]));
        Assert.True(pages[2]!.Value.MayHaveMore);
        Assert.Equal([4], Numbers(pages[3]));
    }

    [PostgreSqlFact]
    public async Task A_deleted_row_is_passed_but_not_delivered()
    {
        await using var journal = await CreateAsync();
        await journal.AppendAsync("a", 3);
        await journal.ExecuteAsync("UPDATE journal SET deleted = true WHERE sequence_number <> 2");
        var page = Assert.Single(await journal.ReadAsync(Ask("a")));
        Assert.Equal([2], Numbers(page));
        Assert.Equal(3, page!.Value.LastRow);
    }

    [PostgreSqlFact]
    public async Task A_statement_stops_at_its_row_bound()
    {
        await using var journal = await CreateAsync();
        await journal.AppendAsync("a", 4);
        await journal.AppendAsync("b", 4);
        var rows = new ByIdRows([Ask("a"), Ask("b"), Ask("c")], 6, new ByteBudget(long.MaxValue));
        await journal.Database.ReadPagesAsync(rows, default);
        rows.Complete();
        Assert.Equal([1, 2], Numbers(rows.Pages[1]));
        Assert.Null(rows.Pages[2]);
    }

    [PostgreSqlFact]
    public async Task A_statement_that_reaches_the_byte_limit_ends_on_the_server_and_its_connection_is_used_again()
    {
        await using var journal = await CreateAsync();
        await journal.ExecuteAsync(
            "INSERT INTO journal(deleted, persistence_id, sequence_number, created, message) "
            + "SELECT false, 'a', n, 0, decode(repeat('00', 1000), 'hex') FROM generate_series(1, 60000) n");
        for (var i = 0; i < 20; i++)
        {
            var rows = new ByIdRows([Ask("a", limit: 100_000)], 100_000, new ByteBudget(5000));
            await journal.Database.ReadPagesAsync(rows, default);
            Assert.Equal(0, await journal.RunningAsync());
            rows.Complete();
            Assert.Equal(5, Numbers(Assert.Single(rows.Pages)).Count);
        }

        Assert.Equal(1, await journal.ScalarAsync<long>(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'throttled' AND query ~ 'LATERAL|tags'"));
    }

    [PostgreSqlFact]
    public async Task Nothing_is_prepared_if_that_is_switched_off()
    {
        await using var journal = await CreateAsync();
        await journal.AppendAsync(Event("a", 1, "t"));
        await using var database = journal.Open(new() { PrepareStatements = false });
        var rows = Statement(Ask("a"));
        await database.ReadPagesAsync(rows, default);
        rows.Complete();
        Assert.Equal(["t"], Assert.Single(rows.Pages)!.Value.Page![0]!.Tags);
    }

    [PostgreSqlFact]
    public async Task Tags_below_the_horizon_are_not_read()
    {
        await using var journal = await CreateAsync();
        await journal.AppendAsync("a", 10);
        await journal.AppendAsync(Event("b", 1, "t"));
        await journal.Database.ReadTagHorizonAsync(settled: 11, default);
        await journal.ExecuteAsync("ALTER TABLE tags RENAME TO hidden");
        Assert.Equal(10, Numbers(Assert.Single(await journal.ReadAsync(Ask("a")))).Count);
        var error = await Assert.ThrowsAsync<MissingTagTableException>(() => journal.ReadAsync(Ask("b")));
        Assert.Equal(FaultKind.Fatal, journal.Database.Classify(error));
        await journal.ExecuteAsync("ALTER TABLE hidden RENAME TO tags");
        Assert.Equal(["t"], Assert.Single(await journal.ReadAsync(Ask("b")))!.Value.Page![0]!.Tags);
    }

    [PostgreSqlFact]
    public async Task The_horizon_is_never_above_the_settled_ordering()
    {
        await using var journal = await CreateAsync();
        await journal.Database.ReadTagHorizonAsync(settled: 1, default);
        await journal.AppendAsync(Event("a", 1), Event("a", 2, "t"));
        Assert.Equal(["t"], Assert.Single(await journal.ReadAsync(Ask("a")))!.Value.Page![1]!.Tags);
    }

    [PostgreSqlFact]
    public async Task A_plan_prepared_for_an_empty_table_does_not_outlive_its_growth()
    {
        await using var journal = await CreateAsync(JournalTables.PostgreSql);
        // The planner may prefer this index of the legacy layout.
        await journal.ExecuteAsync("CREATE INDEX hazard ON event_journal (sequence_nr); ALTER TABLE event_journal SET (autovacuum_enabled = off)");
        await using var connection = await journal.Sql.OpenConnectionAsync();
        const string ask = "(ARRAY['id-7', 'id-8'], ARRAY[1, 1], ARRAY[9000000000, 9000000000], ARRAY[100, 100], 1000, 0, '')";
        var pages = new PostgreSqlJournalSql(journal.Tables).Pages;
        await RunAsync($"SET plan_cache_mode = force_custom_plan; PREPARE page(text[], bigint[], bigint[], int[], bigint, int, text) AS {pages}");
        for (var i = 0; i < 10; i++)
            await RunAsync($"EXECUTE page{ask}");
        await journal.ExecuteAsync(
            "INSERT INTO event_journal(is_deleted, persistence_id, sequence_nr, created_at, payload) "
            + "SELECT false, 'id-' || i, n, 0, '\\x00' FROM generate_series(1, 200) i, generate_series(1, 100) n");
        Assert.Contains("event_journal_persistence_id_sequence_nr_key", await PlanAsync(), StringComparison.Ordinal);
        await journal.ExecuteAsync("ANALYZE event_journal");
        Assert.Contains("event_journal_persistence_id_sequence_nr_key", await PlanAsync(), StringComparison.Ordinal);

        async Task RunAsync(string sql)
        {
            await using var command = new Npgsql.NpgsqlCommand(sql, connection);
            await command.ExecuteNonQueryAsync();
        }

        async Task<string> PlanAsync()
        {
            await using var command = new Npgsql.NpgsqlCommand($"EXPLAIN (FORMAT JSON) EXECUTE page{ask}", connection);
            return (string)(await command.ExecuteScalarAsync())!;
        }
    }

    private static List<long> Numbers(ByIdResult? result) => result?.Page is { } page
        ? [.. Enumerable.Range(0, page.Count).Select(i => page[i]!.SequenceNumber)]
        : [];
}
