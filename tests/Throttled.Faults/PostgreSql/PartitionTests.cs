using Throttled.Faults.World;
using Throttled.Journal.PostgreSql.Tests.Contract;

namespace Throttled.Faults.PostgreSql;

/// <summary>A journal table that is partitioned by ranges of the ordering. Partitions are attached and detached during reads.</summary>
[Collection(AloneCollection.Name)]
public sealed class PartitionTests(ITestOutputHelper output)
{
    private const int Each = 200;

    // The table of the schema, but partitioned: every unique key must contain the partition key.
    private const string Divide =
        """
        ALTER TABLE journal RENAME TO whole;
        CREATE TABLE journal (LIKE whole INCLUDING DEFAULTS) PARTITION BY RANGE (ordering);
        DROP TABLE whole;
        CREATE SEQUENCE journal_ordering_seq;
        ALTER TABLE journal ALTER COLUMN ordering SET DEFAULT nextval('journal_ordering_seq');
        ALTER SEQUENCE journal_ordering_seq OWNED BY journal.ordering;
        ALTER TABLE journal ADD PRIMARY KEY (ordering);
        CREATE INDEX ON journal (persistence_id, sequence_number);
        CREATE TABLE rest PARTITION OF journal DEFAULT
        """;

    [PostgreSqlFact]
    [Trait("Category", "Long")]
    public async Task Partitions_that_are_attached_and_detached_during_reads_cost_no_query_and_no_event()
    {
        using var server = PostgreSqlServer.Start();
        await using var journal = await PostgreSqlHost.CreateAsync(server);
        await journal.ExecuteAsync(Divide);
        await journal.ExecuteAsync($"GRANT SELECT ON journal, journal_ordering_seq TO {PostgreSqlServer.Reader}");
        await using var run = await FaultRun.StartAsync(journal, new("PostgreSQL", LongShare.Of(10_000)), output);
        var round = 0;
        await run.StrikeTwiceAsync(
            "partitions attached and detached", () => DivideAsync(run, journal, round++), () => Task.CompletedTask);
        await run.EndAsync();
    }

    // Existing rows move into their own partition, the next orderings get another one. Both are detached and attached within a transaction.
    private static async Task DivideAsync(FaultRun run, PostgreSqlJournalUnderTest journal, int round)
    {
        var (old, next) = ($"old{round}", $"next{round}");
        await using var connection = await journal.ConnectAsync();
        await Wait.UntilAsync(() => connection.ScalarAsync<bool>("SELECT EXISTS (SELECT FROM rest)"), () => "events beyond the partitions");
        var from = await connection.ScalarAsync<long>("SELECT min(ordering) FROM rest");
        await connection.RunAsync(
            $"""
            BEGIN;
            LOCK TABLE journal IN ACCESS EXCLUSIVE MODE;
            CREATE TABLE {old} (LIKE journal INCLUDING ALL);
            WITH moved AS (DELETE FROM rest RETURNING *) INSERT INTO {old} SELECT * FROM moved;
            DO $$ DECLARE top bigint := (SELECT max(ordering) + 1 FROM {old}); BEGIN
                EXECUTE format('ALTER TABLE journal ATTACH PARTITION {old} FOR VALUES FROM ({from}) TO (%s)', top);
                EXECUTE format('CREATE TABLE {next} PARTITION OF journal FOR VALUES FROM (%s) TO (%s)', top, top + {Each});
            END $$;
            COMMIT
            """);
        await run.Meter.MoreAsync(5, "keys");
        var bounds = await connection.ScalarAsync<string>($"SELECT pg_get_expr(relpartbound, oid) FROM pg_class WHERE relname = '{old}'");
        await connection.RunAsync($"BEGIN; ALTER TABLE journal DETACH PARTITION {old}; ALTER TABLE journal ATTACH PARTITION {old} {bounds}; COMMIT");
        await run.Meter.MoreAsync(5, "keys");
        var nextBounds = await connection.ScalarAsync<string>($"SELECT pg_get_expr(relpartbound, oid) FROM pg_class WHERE relname = '{next}'");
        await connection.RunAsync(
            $"""
            BEGIN;
            ALTER TABLE journal DETACH PARTITION {next};
            ALTER TABLE journal ATTACH PARTITION {next} {nextBounds};
            COMMIT
            """);
    }
}
