using Throttled.Journal.Rows;

namespace Throttled.Journal.Sqlite.Tests;

public sealed class SqlitePageTests
{
    [Fact]
    public async Task A_deleted_row_is_not_delivered_but_moves_the_position()
    {
        await using var file = new JournalFile();
        await file.CreateAsync(Make.Events("a", 3));
        file.Execute("UPDATE journal SET deleted = 1 WHERE sequence_number IN (1, 3)");

        var page = (await file.Database().ReadAsync(Make.Ask("a")))[0];

        Assert.Equal([2], Make.Numbers(page));
        Assert.Equal(3, page!.Value.LastRow);
    }

    [Fact]
    public async Task Rows_of_older_plugins_have_neither_serializer_nor_manifest_nor_tags()
    {
        await using var file = new JournalFile(JournalTables.Sqlite);
        await file.CreateAsync(Make.Event("a", 1, "blue"));
        file.Execute("UPDATE event_journal SET serializer_id = NULL, manifest = NULL, tags = NULL");

        var read = Assert.Single(await file.Database().EventsAsync("a"));

        Assert.Null(read.SerializerId);
        Assert.Equal("", read.Manifest);
        Assert.Empty(read.Tags);
    }

    [Fact]
    public async Task Ids_that_are_equal_in_the_collation_of_the_column_are_different_ids()
    {
        await using var file = new JournalFile();
        file.Execute(
            """
            CREATE TABLE journal (ordering INTEGER PRIMARY KEY AUTOINCREMENT, deleted BOOLEAN NOT NULL, persistence_id VARCHAR(255) COLLATE NOCASE NOT NULL,
                sequence_number INTEGER NOT NULL, created INTEGER NOT NULL, message BLOB NOT NULL, identifier INTEGER NULL, manifest VARCHAR(500) NULL, writer_uuid VARCHAR(128) NULL,
                UNIQUE (persistence_id, sequence_number))
            """);
        await file.CreateAsync([.. Make.Events("abc", 2), Make.Event("ABC", 3)]);

        var pages = await file.Database().ReadAsync(Make.Ask("abc"), Make.Ask("ABC"), Make.Ask("Abc"));

        Assert.Equal([1, 2], Make.Numbers(pages[0]));
        Assert.Equal([3], Make.Numbers(pages[1]));
        Assert.Empty(Make.Numbers(pages[2]));
    }

    [Fact]
    public async Task Each_member_has_its_own_range_and_limit()
    {
        await using var file = new JournalFile();
        await file.CreateAsync([.. Make.Events("a", 5), .. Make.Events("b", 5), .. Make.Events("c", 5)]);

        var pages = await file.Database().ReadAsync(
            Make.Ask("c", from: 2, to: 4), Make.Ask("nobody"), Make.Ask("a", limit: 2), Make.Ask("b", from: 4, limit: 2));

        Assert.Equal([2, 3, 4], Make.Numbers(pages[0]));
        Assert.Empty(Make.Numbers(pages[1]));
        Assert.Equal([1, 2], Make.Numbers(pages[2]));
        Assert.Equal([4, 5], Make.Numbers(pages[3]));
        Assert.Equal([false, false, true, true], pages.Select(page => page!.Value.MayHaveMore));
        Assert.Null(pages[1]!.Value.LastRow);
    }

    [Fact]
    public async Task At_the_row_limit_the_rest_is_left_for_later()
    {
        await using var file = new JournalFile();
        await file.CreateAsync([.. Make.Events("a", 3), .. Make.Events("b", 3), .. Make.Events("c", 3)]);
        var rows = new ByIdRows([Make.Ask("a"), Make.Ask("b"), Make.Ask("c")], maxRows: 5, new ByteBudget(long.MaxValue));

        await file.Database().ReadPagesAsync(rows, CancellationToken.None);

        rows.Complete();
        var pages = rows.Pages;
        Assert.Equal([1, 2, 3], Make.Numbers(pages[0]));
        Assert.Equal([1, 2], Make.Numbers(pages[1]));
        Assert.True(pages[1]!.Value.MayHaveMore);
        Assert.Null(pages[2]);
    }

    [Fact]
    public async Task At_the_byte_limit_reading_stops()
    {
        await using var file = new JournalFile();
        await file.CreateAsync(Make.Events("a", 10));
        var rows = new ByIdRows([Make.Ask("a"), Make.Ask("b")], 100, new ByteBudget(300));

        await file.Database().ReadPagesAsync(rows, CancellationToken.None);

        Assert.True(rows.IsStopped);
        Assert.Equal(3, rows.EventsFrom(0).Count);
    }

    [Fact]
    public async Task Tags_below_the_horizon_are_not_read()
    {
        await using var file = new JournalFile();
        await file.CreateAsync(Make.Event("a", 1), Make.Event("a", 2), Make.Event("a", 3, "blue"), Make.Event("a", 4, "green"));
        var database = file.Database();
        await database.ProbeAsync(CancellationToken.None);

        await database.ReadTagHorizonAsync(settled: 4, CancellationToken.None);
        // A tag below the horizon cannot appear in practice. This one shows that the statement does not read there.
        file.Execute("INSERT INTO tags VALUES (2, 'late', 2, 'a')");

        Assert.Equal([0, 0, 1, 1], (await database.EventsAsync("a")).Select(each => each.Tags.Count));
    }

    [Fact]
    public async Task The_horizon_is_never_above_the_settled_ordering()
    {
        await using var file = new JournalFile();
        await file.CreateAsync(Make.Events("a", 2));
        var database = file.Database();
        await database.ProbeAsync(CancellationToken.None);

        await database.ReadTagHorizonAsync(settled: 1, CancellationToken.None);
        file.Execute("INSERT INTO tags VALUES (2, 'blue', 2, 'a')");

        Assert.Equal([0, 1], (await database.EventsAsync("a")).Select(each => each.Tags.Count));
    }

    [Fact]
    public async Task A_table_that_reuses_orderings_has_no_horizon()
    {
        await using var file = new JournalFile(JournalTables.Sqlite with { TagMode = TagMode.TagTable });
        file.Execute(OlderPluginTests.Journal);
        await file.CreateAsync(Make.Events("a", 2));
        var database = file.Database();
        await database.ProbeAsync(CancellationToken.None);

        await database.ReadTagHorizonAsync(settled: 2, CancellationToken.None);
        file.Execute("INSERT INTO tags VALUES (2, 'blue', 2, 'a')");

        Assert.Equal([0, 1], (await database.EventsAsync("a")).Select(each => each.Tags.Count));
    }

    [Fact]
    public async Task A_UTF_16_journal_reads_alike()
    {
        await using var file = new JournalFile(JournalTables.Default with { TagMode = TagMode.Csv });
        file.Execute("PRAGMA encoding = 'UTF-16le'; CREATE TABLE other (x)");
        await file.CreateAsync(Make.Event("ä", 1, "blau"));
        var database = file.Database();

        var read = Assert.Single(await database.EventsAsync("ä"));

        Assert.Equal("Happened", read.Manifest);
        Assert.Equal(["blau"], read.Tags);
        Assert.Equal("ä", (await database.ReadStartAsync(CancellationToken.None)).Last!.Value.PersistenceId);
    }
}
