using System.Data.Common;
using Npgsql;

namespace Throttled.Journal.PostgreSql.Tests.Contract;

/// <summary>Shards on a server: late commits, rights, and writers that begin while others check the mark.</summary>
[Collection(ServerCollection.Name)]
public sealed class ShardTests(PostgreSqlHost host)
{
    private static readonly ShardMap Two = ShardMap.Even(2);

    private static readonly string[] Ids =
        [.. Enumerable.Range(0, 2).Select(shard => Enumerable.Range(0, 100).Select(i => $"p-{i * 97}").First(id => Two.ShardOf(id) == shard))];

    [PostgreSqlFact]
    public async Task An_open_transaction_delays_only_the_events_of_its_shard()
    {
        await using var journal = await NewAsync();
        await journal.AppendAsync([.. TestEvents.OfEach(Ids, 1, 1)]);
        await using var all = LiveReading.Of(journal.OpenReader().AllEvents());
        await all.UntilAsync(2);

        await using (var late = await journal.Journals[0].BeginAsync())
        {
            await late.InsertAsync(TestEvents.Of("a late one", 1, 1));
            await journal.AppendAsync([.. TestEvents.OfEach(Ids, 2, 3)]);
            await all.UntilAsync(5);
            Assert.Equal([1], all.Events.Where(each => each.PersistenceId == Ids[0]).Numbers());
            Assert.Equal([1, 2, 3, 4], all.Events.Where(each => each.PersistenceId == Ids[1]).Numbers());
            await late.CommitAsync();
        }

        await all.UntilAsync(9);
        Assert.Equal([Ids[0], "a late one", Ids[0], Ids[0], Ids[0]], all.Events.Where(each => each.PersistenceId != Ids[1]).Select(each => each.PersistenceId));
    }

    [PostgreSqlFact]
    public async Task Without_the_right_on_the_marks_the_error_names_the_shard_and_the_remedy()
    {
        await using var journal = await NewAsync();
        await journal.Journals[1].ExecuteAsync($"REVOKE SELECT ON throttled_shards FROM {PostgreSqlServer.Reader}");

        var error = await Assert.ThrowsAsync<JournalException>(() => journal.OpenReader().AllEvents().FirstAsync(1));

        Assert.StartsWith("Shard 1 (slices 512-1023): ", error.Message, StringComparison.Ordinal);
        Assert.Contains("permission denied for table throttled_shards. Grant the reader's user", error.Message, StringComparison.Ordinal);
        Assert.Contains("reader-postgresql.sql", error.Message, StringComparison.Ordinal);
    }

    [PostgreSqlFact]
    public async Task The_script_grants_the_right_to_read_the_mark_and_no_other()
    {
        await using var journal = await NewAsync();
        await using var connection = await journal.Journals[0].ConnectAsync();
        Assert.True(await connection.ScalarAsync<bool>($"SELECT has_table_privilege('{PostgreSqlServer.Reader}', 'throttled_shards', 'SELECT')"));
        Assert.False(await connection.ScalarAsync<bool>(
            $"SELECT has_table_privilege('{PostgreSqlServer.Reader}', 'throttled_shards', 'INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER')"));
    }

    [PostgreSqlFact]
    public async Task A_writer_of_a_marked_shard_needs_only_select_and_insert()
    {
        await using var journal = await NewAsync();
        var first = (PostgreSqlJournalUnderTest)journal.Journals[0];
        await first.ExecuteAsync(
            "DROP ROLE IF EXISTS appender; CREATE ROLE appender LOGIN PASSWORD 'appender'; "
            + "DO $$ BEGIN EXECUTE format('GRANT CONNECT ON DATABASE %I TO appender', current_database()); END $$; "
            + "GRANT USAGE ON SCHEMA public TO appender; GRANT INSERT ON journal, tags TO appender; "
            + "GRANT USAGE ON SEQUENCE journal_ordering_seq TO appender; GRANT SELECT ON throttled_shards TO appender");
        await using var appender = ShardedJournal.OpenAppender(
            journal.Journals.Cast<PostgreSqlJournalUnderTest>().ToList(),
            (shard, tables) => PostgreSqlJournal.OpenAppender($"{shard.OwnerConnectionString};Username=appender;Password=appender", tables));

        await appender.AppendAsync(TestEvents.Of(Ids[0], 1, 2));

        Assert.Equal([1, 2], (await journal.OpenReader().CurrentEventsByPersistenceId(Ids[0]).AllAsync()).Numbers());
    }

    // A reader checks events and mark one after the other. Between the two checks a writer marks and appends.
    [PostgreSqlFact]
    public async Task A_reader_that_checks_the_mark_while_it_is_written_does_not_refuse_the_shard()
    {
        var journal = (PostgreSqlJournalUnderTest)await NewAbsentAsync();
        await using var closing = journal;
        await journal.CreateAsync();
        await using var writer = await MarkAndAppendAsync(journal, locks: false);
        var checks = 0;
        using var log = new DriverLog
        {
            Logged = line =>
            {
                if (IsMarkCheck(line) && ++checks == 2)
                    writer.RunAsync("COMMIT").GetAwaiter().GetResult();
            },
        };
        await using var source = new NpgsqlDataSourceBuilder(journal.ReaderConnectionString).UseLoggerFactory(log).Build();
        await using var reader = PostgreSqlJournal.OpenReader(source, new() { Shard = new(Two, 0), Tables = journal.ReadTables });

        await using var reading = LiveReading.Of(reader.EventsByPersistenceId(Ids[0]));

        await reading.UntilAsync(1);
        Assert.InRange(checks, 2, int.MaxValue);
    }

    [PostgreSqlFact]
    public async Task A_writer_that_checks_the_mark_while_it_is_written_does_not_refuse_the_shard()
    {
        await using var journal = new ShardedUnderTest(Two, await NewAbsentAsync(), await NewAbsentAsync());
        foreach (var shard in journal.Journals)
            await shard.CreateAsync();
        await using (var writer = await MarkAndAppendAsync(journal.Journals[0]))
        {
            var appending = journal.AppendAsync(TestEvents.Of(Ids[0], 2, 1));
            await UntilWaitingAsync(journal.Journals[0]);
            await writer.RunAsync("COMMIT");
            await appending.WithinAsync("an append after a writer that marks");
        }
        Assert.Equal(2, (await journal.Journals[0].RowsAsync()).Count);
    }

    private async Task<ShardedUnderTest> NewAsync() => await new ShardedUnderTest(Two, await host.NewJournalAsync(), await host.NewJournalAsync()).CreateAsync();

    private Task<JournalUnderTest> NewAbsentAsync() => host.NewAbsentJournalAsync(JournalTables.Default);

    private static bool IsMarkCheck(string line) => line.StartsWith("Executing", StringComparison.Ordinal)
        && (line.Contains("to_regclass($1) IS NOT NULL", StringComparison.Ordinal) || line.Contains("DESC LIMIT 1", StringComparison.Ordinal));

    // A writer that has marked and appended and not committed yet. It may lock the journal, so that no other can read it meanwhile.
    private static async Task<DbConnection> MarkAndAppendAsync(JournalUnderTest shard, bool locks = true)
    {
        var connection = await shard.ConnectAsync();
        await connection.RunAsync(
            "BEGIN; SELECT pg_advisory_xact_lock(hashtext('throttled')); "
            + "CREATE TABLE throttled_shards (journal_table VARCHAR(255) NOT NULL PRIMARY KEY, shard INTEGER NOT NULL, slices TEXT NOT NULL); "
            + $"INSERT INTO throttled_shards VALUES ('journal', 0, '{Two}'); {(locks ? "LOCK TABLE journal IN ACCESS EXCLUSIVE MODE; " : "")}"
            + "INSERT INTO journal (deleted, persistence_id, sequence_number, created, message, identifier, manifest) "
            + $"VALUES (FALSE, '{Ids[0]}', 1, 0, '', 1, '')");
        return connection;
    }

    private static Task UntilWaitingAsync(JournalUnderTest shard) => Wait.UntilAsync(
        async () =>
        {
            await using var connection = await shard.ConnectAsync();
            return await connection.ScalarAsync<long>(
                "SELECT count(*) FROM pg_locks l JOIN pg_stat_activity a USING (pid) WHERE NOT l.granted AND a.datname = current_database()") > 0;
        },
        () => "somebody who waits for the writer");
}
