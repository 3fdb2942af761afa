using Npgsql;
using Throttled.Journal.Rows;
using static Throttled.Journal.PostgreSql.Tests.TestJournal;

namespace Throttled.Journal.PostgreSql.Tests;

public class AppenderTests
{
    private static readonly JournalTables Hostile = JournalTables.Default with
    {
        Schema = "odd \"schema\".x",
        JournalTable = "Event\"s; --",
        OrderingColumn = "Ord\"er",
        TagTable = "ta.gs",
        PersistenceIdColumn = "select",
    };

    public static TheoryData<string, TagMode> Layouts
    {
        get
        {
            var data = new TheoryData<string, TagMode>();
            foreach (var layout in (string[])["default", "sqlite", "postgresql", "hostile"])
            {
                data.Add(layout, TagMode.TagTable);
                data.Add(layout, TagMode.Csv);
            }

            return data;
        }
    }

    [PostgreSqlTheory]
    [MemberData(nameof(Layouts))]
    public async Task Appended_events_can_be_read(string layout, TagMode mode)
    {
        var tables = Named(layout) with { TagMode = mode };
        await using var journal = await CreateAsync(tables);
        var old = new JournalEvent { PersistenceId = "a", SequenceNumber = 3, Payload = default, Timestamp = 5 };
        await journal.AppendAsync(Event("a", 1), Event("a", 2, "blue", "green"), old);
        var page = Assert.Single(await journal.ReadAsync(Ask("a")))!.Value.Page!;
        Assert.Equal(3, page.Count);
        Assert.Equal(["blue", "green"], page[1]!.Tags.Order());
        Assert.Empty(page[0]!.Tags);
        Assert.Equal([1, 2, 3, 1], page[0]!.Payload.ToArray());
        Assert.Equal((7, "some-manifest", "a"), (page[0]!.SerializerId, page[0]!.Manifest, page[0]!.PersistenceId));
        Assert.Equal((null, "", 0, 5), (page[2]!.SerializerId, page[2]!.Manifest, page[2]!.Payload.Length, page[2]!.Timestamp));
        Assert.True(page[0]!.Ordering < page[1]!.Ordering && page[1]!.Ordering < page[2]!.Ordering);
        // The sequence of a table with an odd name is found too.
        Assert.NotNull((await journal.Database.ReadStartAsync(default)).OpenTransactions);
    }

    [PostgreSqlFact]
    public async Task Existing_tables_are_not_changed()
    {
        await using var journal = await CreateAsync();
        await journal.AppendAsync(Event("a", 1));
        await journal.Appender.CreateAsync();
        Assert.Equal(1, Assert.Single(await journal.ReadAsync(Ask("a")))!.Value.LastRow);
    }

    [PostgreSqlTheory]
    [InlineData("")]
    [InlineData("a;b")]
    public async Task A_tag_that_the_column_cannot_store_is_refused_before_anything_is_written(string tag)
    {
        await using var journal = await CreateAsync(JournalTables.Default with { TagMode = TagMode.Csv });
        var error = await Assert.ThrowsAsync<ArgumentException>(() => journal.AppendAsync(Event("a", 1), Event("a", 2, tag)));
        Assert.StartsWith($"'Tags' of event 2 (\"a\" 2) has \"{tag}\"", error.Message, StringComparison.Ordinal);
        Assert.Equal(0, await journal.ScalarAsync<long>("SELECT count(*) FROM journal"));
    }

    [PostgreSqlFact]
    public async Task Events_are_appended_all_or_none()
    {
        await using var journal = await CreateAsync();
        await Assert.ThrowsAsync<PostgresException>(() => journal.AppendAsync(Event("a", 1, "t"), Event("a", 1, "t")));
        Assert.Equal(0, await journal.ScalarAsync<long>("SELECT (SELECT count(*) FROM journal) + (SELECT count(*) FROM tags)"));
        await journal.AppendAsync(Event("a", 1, "t", "t"));
    }

    [PostgreSqlFact]
    public async Task A_refused_rollback_does_not_block_later_events()
    {
        await using var journal = await CreateAsync();
        await using var proxy = RollbackProxy.Before(journal.ConnectionString);
        await using var appender = PostgreSqlJournal.OpenAppender(proxy.ConnectionString);
        await appender.AppendAsync([Event("a", 1)]);
        await Assert.ThrowsAnyAsync<NpgsqlException>(() => appender.AppendAsync([Event("a", 1)]));
        Assert.Equal(1, proxy.Refused);
        await appender.AppendAsync([Event("a", 2)]);
        Assert.Equal(2, await journal.ScalarAsync<long>("SELECT count(*) FROM journal"));
    }

    [PostgreSqlFact]
    public async Task A_cancel_during_the_commit_comes_too_late_and_a_second_call_does_too()
    {
        await using var journal = await CreateAsync();
        await journal.ExecuteAsync(
            """
            CREATE FUNCTION hold() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_advisory_xact_lock_shared(1); RETURN NULL; END';
            CREATE CONSTRAINT TRIGGER hold AFTER INSERT ON journal DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION hold()
            """);
        await using var holder = await journal.Sql.OpenConnectionAsync();
        await using var hold = new NpgsqlCommand("BEGIN; SELECT pg_advisory_xact_lock(1)", holder);
        await hold.ExecuteNonQueryAsync();
        using var stop = new CancellationTokenSource();
        var appending = journal.Appender.AppendAsync([Event("a", 1)], stop.Token);
        await Wait.UntilAsync(
            async () => await journal.ScalarAsync<long>(
                "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND query = 'COMMIT' AND wait_event = 'advisory'") == 1,
            () => "the commit waiting");
        var second = await Assert.ThrowsAsync<InvalidOperationException>(() => journal.AppendAsync(Event("b", 1)));
        Assert.Contains("one call at a time", second.Message, StringComparison.Ordinal);
        await stop.CancelAsync();
        await holder.DisposeAsync();
        await appending;
        Assert.Equal(1, await journal.ScalarAsync<long>("SELECT count(*) FROM journal"));
    }

    [PostgreSqlFact]
    public async Task An_event_without_a_timestamp_gets_one()
    {
        await using var journal = await CreateAsync();
        await journal.AppendAsync(new JournalEvent { PersistenceId = "a", SequenceNumber = 1, Payload = default });
        Assert.True(await journal.ScalarAsync<long>("SELECT created FROM journal") > 638_000_000_000_000_000);
    }

    private static JournalTables Named(string layout) => layout switch
    {
        "default" => JournalTables.Default,
        "sqlite" => JournalTables.Sqlite,
        "postgresql" => JournalTables.PostgreSql,
        _ => Hostile,
    };
}
