using Microsoft.Data.SqlClient;
using static Throttled.Journal.SqlServer.Tests.WrittenJournal;

namespace Throttled.Journal.SqlServer.Tests;

public class AppenderTests(WriteServer shared) : IClassFixture<WriteServer>
{
    private const string Unnumbered =
        """
        CREATE TABLE journal (ordering BIGINT NOT NULL PRIMARY KEY, deleted BIT NOT NULL, persistence_id NVARCHAR(255) NOT NULL,
            sequence_number BIGINT NOT NULL, created BIGINT NOT NULL, message VARBINARY(MAX) NOT NULL, identifier INTEGER, manifest NVARCHAR(500),
            writer_uuid NVARCHAR(128))
        """;

    public static TheoryData<string, TagMode> Layouts
    {
        get
        {
            var data = new TheoryData<string, TagMode>();
            foreach (var layout in (string[])["default", "sqlite", "sql-server", "hostile"])
            {
                data.Add(layout, TagMode.TagTable);
                data.Add(layout, TagMode.Csv);
            }
            return data;
        }
    }

    [SqlServerTheory]
    [MemberData(nameof(Layouts))]
    public async Task Appended_values_are_in_their_columns(string layout, TagMode mode)
    {
        var tables = Named(layout) with { TagMode = mode };
        await using var journal = await CreateAsync(shared.Server, tables);
        var old = new JournalEvent { PersistenceId = "b ", SequenceNumber = 3, Payload = default, Timestamp = 5 };
        await journal.AppendAsync(Event("a", 1), Event("é😀", 2, "blue", "green", "blue"), old);
        var dialect = new SqlServerDialect();
        string[] columns =
        [
            tables.OrderingColumn, tables.DeletedColumn, tables.PersistenceIdColumn, tables.SequenceNumberColumn, tables.TimestampColumn,
            tables.PayloadColumn, tables.SerializerIdColumn, tables.ManifestColumn,
        ];
        Assert.Equal(
            ["1 False a 1 638000000000000001 01020301 7 some-manifest", "2 False é😀 2 638000000000000002 01020302 7 some-manifest", "3 False b  3 5   "],
            await journal.RowsAsync($"SELECT {string.Join(", ", columns.Select(dialect.Quote))} FROM {dialect.Table(tables.Schema, tables.JournalTable)} ORDER BY 1"));
        Assert.Equal(Tagged(mode), await journal.RowsAsync(TagsOf(tables, dialect)));
    }

    [SqlServerFact]
    public async Task Each_writer_has_its_own_id()
    {
        await using var journal = await CreateAsync(shared.Server);
        await journal.AppendAsync(Event("a", 1));
        await journal.AppendAsync(Event("a", 2));
        await using (var second = journal.OpenAppender())
            await second.AppendAsync([Event("a", 3)]);
        var writers = await journal.RowsAsync("SELECT writer_uuid FROM journal ORDER BY ordering");
        Assert.All(writers, writer => Assert.True(Guid.TryParseExact(writer, "N", out _)));
        Assert.Equal(writers[0], writers[1]);
        Assert.NotEqual(writers[0], writers[2]);
    }

    [SqlServerFact]
    public async Task Many_events_are_numbered_in_their_order_and_each_keeps_its_own_tags()
    {
        await using var journal = await CreateAsync(shared.Server);
        // The order of the events differs from that of the ids and of the tags.
        var events = Enumerable.Range(0, 5_000).Select(i => Event($"id-{i * 7919 % 5000}", 1, i % 3 == 0 ? [] : [$"t-{i * 31 % 101}", $"own-{i * 7919 % 5000}"])).ToArray();
        await journal.AppendAsync(events[..1_000]);
        await journal.AppendAsync(events[1_000..]);
        Assert.Equal(events.Select(each => each.PersistenceId), await journal.RowsAsync("SELECT persistence_id FROM journal ORDER BY ordering"));
        Assert.Equal(
            events.SelectMany(each => each.Tags.Order(StringComparer.Ordinal).Select(tag => $"{each.PersistenceId} {each.PersistenceId} 1 {tag}")).Order(StringComparer.Ordinal),
            (await journal.RowsAsync(
                "SELECT j.persistence_id, t.persistence_id, t.sequence_nr, t.tag FROM tags AS t JOIN journal AS j ON j.ordering = t.ordering_id")).Order(StringComparer.Ordinal));
    }

    [SqlServerFact]
    public async Task Concurrent_writers_do_not_mix_up_their_orderings()
    {
        await using var journal = await CreateAsync(shared.Server);
        await Task.WhenAll(Enumerable.Range(0, 4).Select(async writer =>
        {
            await using var appender = journal.OpenAppender();
            for (var i = 0; i < 10; i++)
                await appender.AppendAsync([.. Enumerable.Range(1, 50).Select(n => Event($"w{writer}", (i * 50) + n, "all"))]);
        }));
        Assert.Equal(2_000, await journal.ScalarAsync<int>(
            "SELECT COUNT(*) FROM journal AS j JOIN tags AS t ON t.ordering_id = j.ordering AND t.persistence_id = j.persistence_id AND t.sequence_nr = j.sequence_number"));
        var ids = (await journal.RowsAsync("SELECT persistence_id, sequence_number FROM journal ORDER BY ordering")).GroupBy(row => row[..2]);
        Assert.All(ids, id => Assert.Equal(Enumerable.Range(1, 500).Select(n => $"{id.Key} {n}"), id));
    }

    [SqlServerFact]
    public async Task Events_are_appended_all_or_none_and_later_ones_succeed()
    {
        await using var journal = await CreateAsync(shared.Server);
        await journal.AppendAsync(Event("b", 1));
        var error = await Assert.ThrowsAsync<SqlException>(() => journal.AppendAsync(Event("a", 1, "t"), Event("a", 2), Event("a", 1, "t")));
        Assert.Equal(2627, error.Number);
        await journal.AppendAsync(Event("a", 1, "t", "t"));
        Assert.Equal(["b 1", "a 1"], await journal.RowsAsync("SELECT persistence_id, sequence_number FROM journal ORDER BY ordering"));
        Assert.Equal(["t a"], await journal.RowsAsync("SELECT tag, persistence_id FROM tags"));
    }

    [SqlServerTheory]
    [InlineData(256, 1)]
    [InlineData(1, 65)]
    public async Task A_text_too_long_for_its_column_fails_with_the_error_of_the_server(int id, int tag)
    {
        await using var journal = await CreateAsync(shared.Server);
        await Assert.ThrowsAsync<SqlException>(() => journal.AppendAsync(Event(new('i', id), 1, new string('t', tag))));
        await journal.AppendAsync(Event(new('i', 255), 1, new string('t', 64)));
        Assert.Equal(["255 64"], await journal.RowsAsync("SELECT LEN(j.persistence_id), LEN(t.tag) FROM journal AS j JOIN tags AS t ON t.ordering_id = j.ordering"));
    }

    [SqlServerFact]
    public async Task A_column_that_is_no_identity_is_named()
    {
        await using var journal = new WrittenJournal(shared.Server, JournalTables.Default with { TagMode = TagMode.Csv });
        await journal.ExecuteAsync(Unnumbered);
        var error = await Assert.ThrowsAsync<InvalidOperationException>(() => journal.AppendAsync(Event("a", 1)));
        Assert.Equal(
            "'OrderingColumn' is ordering, which is not an identity column of [journal]; it must be one. SQL Server cannot change the column to an identity: "
            + "copy the events to a table that has it as BIGINT IDENTITY.",
            error.Message);
    }

    [SqlServerFact]
    public async Task Without_the_table_an_append_fails_and_after_its_creation_it_succeeds()
    {
        await using var journal = new WrittenJournal(shared.Server);
        var error = await Assert.ThrowsAsync<SqlException>(() => journal.AppendAsync(Event("a", 1)));
        Assert.Contains("journal", error.Message, StringComparison.Ordinal);
        await journal.Appender.CreateAsync();
        await journal.AppendAsync(Event("a", 1));
        Assert.Equal(1, await journal.ScalarAsync<int>("SELECT COUNT(*) FROM journal"));
    }

    [SqlServerFact]
    public async Task Triggers_of_the_tables_run()
    {
        await using var journal = await CreateAsync(shared.Server);
        await journal.ExecuteAsync("CREATE TABLE seen (n INT)");
        await journal.ExecuteAsync("CREATE TRIGGER see_event ON journal AFTER INSERT AS INSERT INTO seen SELECT 1 FROM inserted");
        await journal.ExecuteAsync("CREATE TRIGGER see_tag ON tags AFTER INSERT AS INSERT INTO seen SELECT 100 FROM inserted");
        await journal.AppendAsync(Event("a", 1, "t"), Event("a", 2, "t", "u"));
        Assert.Equal(302, await journal.ScalarAsync<int>("SELECT SUM(n) FROM seen"));
    }

    [SqlServerFact]
    public async Task A_cancelled_append_leaves_nothing_and_the_next_one_succeeds()
    {
        await using var journal = await CreateAsync(shared.Server);
        await using var other = await journal.ConnectAsync();
        await using (var transaction = other.BeginTransaction())
        {
            // The key is the same, so the appender waits for the end of that transaction.
            await using var insert = new SqlCommand(
                "INSERT INTO journal (deleted, persistence_id, sequence_number, created, message) VALUES (0, N'a', 1, 0, 0x)", other, transaction);
            await insert.ExecuteNonQueryAsync();
            using var stop = new CancellationTokenSource();
            var appending = journal.Appender.AppendAsync([Event("a", 1)], stop.Token);
            var second = await Assert.ThrowsAsync<InvalidOperationException>(() => journal.AppendAsync(Event("b", 1)));
            Assert.Contains("one call at a time", second.Message, StringComparison.Ordinal);
            await stop.CancelAsync();
            await Assert.ThrowsAnyAsync<OperationCanceledException>(() => appending.WithinAsync("the append's end"));
        }
        await journal.AppendAsync(Event("a", 1, "t"));
        Assert.Equal(1, await journal.ScalarAsync<int>("SELECT COUNT(*) FROM journal"));
    }

    [SqlServerFact]
    public async Task A_broken_connection_is_opened_again()
    {
        await using var journal = await CreateAsync(shared.Server);
        await journal.AppendAsync(Event("a", 1, "t"));
        var session = await journal.ScalarAsync<int>("SELECT CAST(session_id AS INT) FROM sys.dm_exec_sessions WHERE program_name = 'throttled' AND database_id = DB_ID()");
        await journal.ExecuteAsync($"KILL {session}");
        await Assert.ThrowsAnyAsync<Exception>(() => journal.AppendAsync(Event("a", 2, "t")));
        await journal.AppendAsync(Event("a", 2, "t"));
        Assert.Equal(2, await journal.ScalarAsync<int>("SELECT COUNT(*) FROM journal AS j JOIN tags AS t ON t.ordering_id = j.ordering"));
    }

    [SqlServerFact]
    public async Task A_writer_needs_only_insert_and_select()
    {
        await using var journal = await CreateAsync(shared.Server);
        await journal.ExecuteAsync(
            $"""
            CREATE USER [{shared.Server.Reader}] FOR LOGIN [{shared.Server.Reader}];
            GRANT SELECT, INSERT ON journal TO [{shared.Server.Reader}];
            GRANT INSERT ON tags TO [{shared.Server.Reader}];
            """);
        await using var appender = SqlServerJournal.OpenAppender(shared.Server.ReaderOf(journal.ConnectionString));
        await appender.AppendAsync([Event("a", 1, "t")]);
        Assert.Equal(["a t"], await journal.RowsAsync("SELECT j.persistence_id, t.tag FROM journal AS j JOIN tags AS t ON t.ordering_id = j.ordering"));
    }

    [SqlServerTheory]
    [InlineData("")]
    [InlineData("a;b")]
    public async Task A_tag_that_the_column_cannot_store_is_refused_before_anything_is_written(string tag)
    {
        await using var journal = await CreateAsync(shared.Server, JournalTables.Default with { TagMode = TagMode.Csv });
        var error = await Assert.ThrowsAsync<ArgumentException>(() => journal.AppendAsync(Event("a", 1), Event("a", 2, tag)));
        Assert.StartsWith($"'Tags' of event 2 (\"a\" 2) has \"{tag}\"", error.Message, StringComparison.Ordinal);
        Assert.Equal(0, await journal.ScalarAsync<int>("SELECT COUNT(*) FROM journal"));
    }

    private static string[] Tagged(TagMode mode) =>
        mode == TagMode.Csv ? ["1 ", "2 ;blue;green;blue;", "3 "] : ["2 blue 2 é😀", "2 green 2 é😀"];

    private static string TagsOf(JournalTables tables, SqlServerDialect dialect)
    {
        string[] columns = tables.TagMode == TagMode.Csv
            ? [tables.OrderingColumn, tables.TagsColumn]
            : [tables.TagOrderingColumn, tables.TagColumn, tables.TagSequenceNumberColumn, tables.TagPersistenceIdColumn];
        var table = dialect.Table(tables.Schema, tables.TagMode == TagMode.Csv ? tables.JournalTable : tables.TagTable);
        return $"SELECT {string.Join(", ", columns.Select(dialect.Quote))} FROM {table} ORDER BY 1, 2";
    }

    private static JournalTables Named(string layout) => layout switch
    {
        "default" => JournalTables.Default,
        "sqlite" => JournalTables.Sqlite,
        "sql-server" => JournalTables.SqlServer,
        _ => Hostile(),
    };

    // Babelfish does not parse a closing bracket within a name.
    private static JournalTables Hostile() => JournalTables.Default with
    {
        Schema = TestServer.IsBabelfish ? "odd 'schema\".x" : "odd 'sch]ema\".x",
        JournalTable = TestServer.IsBabelfish ? "Event's; --" : "Event's]; --",
        OrderingColumn = "Ord'er",
        TagTable = "[ta.gs",
        TagColumn = "@p1",
        PersistenceIdColumn = "select",
    };
}
