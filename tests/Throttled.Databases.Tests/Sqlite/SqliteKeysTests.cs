using Throttled.Journal.Database;
using Throttled.Journal.Relational;
using Throttled.Journal.Rows;

namespace Throttled.Journal.Sqlite.Tests;

public sealed class SqliteKeysTests
{
    [Fact]
    public async Task Keys_begin_at_the_position_and_end_at_the_limit()
    {
        await using var file = new JournalFile();
        await file.CreateAsync(Make.Events("a", 5));

        var cut = await PollAsync(file, new(2, [], 2) { WithOpenTransactions = true });
        var all = await PollAsync(file, new(0, [], 6));

        Assert.Equal([new(2, "a", 2), new(3, "a", 3)], cut.Above);
        Assert.True(cut.IsTruncated);
        Assert.Empty(cut.Late);
        Assert.Empty(cut.OpenTransactions!);
        Assert.Equal([1, 2, 3, 4, 5], all.Above.Select(key => key.Ordering));
        Assert.False(all.IsTruncated);
        Assert.Empty(all.OpenTransactions!);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task An_unreadable_key_does_not_hide_the_others(bool withTags)
    {
        await using var file = new JournalFile(JournalTables.Default with { TagMode = TagMode.Csv });
        await file.CreateAsync(Make.Event("a", 1, "blue"), Make.Event("a", 2), Make.Event("a", 3), Make.Event("a", 4, "green"), Make.Event("a", 5));
        file.Execute(
            """
            UPDATE journal SET sequence_number = 'two' WHERE ordering = 2;
            UPDATE journal SET sequence_number = 5.5 WHERE ordering = 5;
            UPDATE journal SET persistence_id = x'00', tags = x'00' WHERE ordering = 3
            """);

        var result = await PollAsync(file, new(0, [], 10) { WithTags = withTags });

        Assert.Equal([new(1, "a", 1), new(2, "a", 0), new(3, "", 3), new(4, "a", 4), new(5, "a", long.MaxValue - 1)], result.Above);
        Assert.Equal(withTags ? [1L, 4L] : [], result.Tags.Keys.Order());
    }

    [Fact]
    public async Task A_sequence_number_that_is_no_number_does_not_end_a_query_that_waits_for_its_last_event()
    {
        await using var file = new JournalFile();
        await file.CreateAsync(Make.Event("a", 1), Make.Event("c", 1));
        await using var reader = SqliteJournal.OpenReader(file.ConnectionString);
        await using var reading = LiveReading.Of(reader.EventsByPersistenceId("a", to: 3));
        await using var other = LiveReading.Of(reader.EventsByPersistenceId("b"));
        await reading.UntilAsync(1);
        await file.Appender().AppendAsync([Make.Event("b", 1)]);
        await other.UntilAsync(1);
        file.Execute(
            """
            INSERT INTO journal (deleted, persistence_id, sequence_number, created, message, identifier, manifest)
            SELECT deleted, 'a', 'two', created, message, identifier, manifest FROM journal WHERE persistence_id = 'c'
            """);
        await file.Appender().AppendAsync([Make.Event("b", 2)]);
        await other.UntilAsync(2);
        await file.Appender().AppendAsync([Make.Event("a", 2), Make.Event("a", 3)]);
        Assert.Equal([1, 2, 3], (await reading.UntilAsync(3)).Numbers());
        await reading.Ended.WithinAsync("the end of the query");
    }

    [Theory]
    [InlineData(TagMode.TagTable)]
    [InlineData(TagMode.Csv)]
    public async Task Tags_come_with_the_keys_above_the_position(TagMode mode)
    {
        await using var file = new JournalFile(JournalTables.Default with { TagMode = mode });
        await file.CreateAsync(
            Make.Event("a", 1, "below"), Make.Event("a", 2, "at"), Make.Event("a", 3), Make.Event("a", 4, "blue", "größe"), Make.Event("a", 5, "late"));

        var result = await PollAsync(file, new(2, [], 3) { WithTags = true });
        var without = await PollAsync(file, new(2, [], 3));

        Assert.Equal([2, 3, 4], result.Above.Select(key => key.Ordering));
        var (ordering, tags) = Assert.Single(result.Tags);
        Assert.Equal(4, ordering);
        Assert.Equal(["blue", "größe"], tags.Order(StringComparer.Ordinal));
        Assert.Empty(without.Tags);
    }

    [Fact]
    public async Task Requested_tags_need_their_table()
    {
        await using var file = new JournalFile();
        await file.CreateAsync(Make.Events("a", 1));
        file.Execute("DROP TABLE tags");

        await Assert.ThrowsAsync<MissingTagTableException>(() => PollAsync(file, new(0, [], 3) { WithTags = true }));
        Assert.Single((await PollAsync(file, new(0, [], 3))).Above);
    }

    [Theory]
    [InlineData(TagMode.TagTable)]
    [InlineData(TagMode.Csv)]
    public async Task Requested_rows_come_with_the_keys(TagMode mode)
    {
        await using var file = new JournalFile(JournalTables.Default with { TagMode = mode });
        await file.CreateAsync(Make.Event("a", 1), Make.Event("b", 1), Make.Event("c", 1), Make.Event("d", 1, "blue"));
        file.Execute("UPDATE journal SET deleted = 1 WHERE ordering = 3; UPDATE journal SET message = '{\"x\":1}' WHERE ordering = 4");
        var rows = Rows();

        var result = await PollAsync(file, new(1, [], 10) { Rows = rows, WithTags = true });

        Assert.Equal([new(1, "a", 1), new(2, "b", 1), new(3, "c", 1), new(4, "d", 1)], result.Above);
        Assert.Equal([2, 4], rows.Events.Select(each => each.Ordering));
        Assert.Equal("d", rows.Events[1].PersistenceId);
        Assert.Equal(["blue"], rows.Events[1].Tags);
        Assert.Equal("{\"x\":1}"u8.ToArray(), rows.Events[1].Payload.ToArray());
        Assert.False(result.IsTruncated);
        Assert.Empty(result.Tags);
    }

    [Fact]
    public async Task Rows_beyond_the_byte_limit_truncate_the_poll()
    {
        await using var file = new JournalFile();
        await file.CreateAsync(Make.Events("a", 10));
        var rows = Rows(bytes: 300);

        var result = await PollAsync(file, new(1, [], 100) { Rows = rows });

        Assert.Equal([1, 2, 3, 4], result.Above.Select(key => key.Ordering));
        Assert.Equal([2, 3, 4], rows.Events.Select(each => each.Ordering));
        Assert.True(result.IsTruncated);
    }

    [Fact]
    public async Task An_unreadable_row_fails_only_a_poll_with_rows()
    {
        await using var file = new JournalFile();
        await file.CreateAsync(Make.Events("a", 2));
        file.Execute("UPDATE journal SET created = 'noon' WHERE ordering = 2");

        var error = await Record.ExceptionAsync(() => PollAsync(file, new(1, [], 10) { Rows = Rows() }));
        var result = await PollAsync(file, new(1, [], 10) { WithTags = true });

        Assert.Equal(FaultKind.Unreadable, file.Database().Classify(error!));
        Assert.Equal([1, 2], result.Above.Select(key => key.Ordering));
    }

    [Fact]
    public async Task Tags_below_the_horizon_are_not_read()
    {
        await using var file = new JournalFile();
        await file.CreateAsync(Make.Event("a", 1), Make.Event("a", 2), Make.Event("a", 3, "blue"));
        var database = file.Database();
        await database.ReadTagHorizonAsync(settled: 3, CancellationToken.None);
        // A tag below the horizon cannot appear in practice. This one shows that the statement does not read there.
        file.Execute("INSERT INTO tags VALUES (2, 'late', 2, 'a')");

        var result = await database.ReadKeysAsync(new(0, [], 10) { WithTags = true }, CancellationToken.None);

        Assert.Equal([3], result.Tags.Keys);
    }

    [Fact]
    public async Task If_no_row_is_at_the_position_the_last_issued_ordering_is_returned()
    {
        await using var file = new JournalFile();
        await file.CreateAsync(Make.Events("a", 5));
        file.Execute("DELETE FROM journal WHERE ordering IN (2, 5)");

        Assert.Null((await PollAsync(file, new(0, [], 10))).LastIssued);
        Assert.Null((await PollAsync(file, new(4, [], 10))).LastIssued);
        Assert.Equal(5, (await PollAsync(file, new(2, [], 10))).LastIssued);
        Assert.Equal(5, (await PollAsync(file, new(5, [], 10) { Rows = Rows() })).LastIssued);
        Assert.Equal(5, (await PollAsync(file, new(99, [], 10) { WithTags = true })).LastIssued);
    }

    [Fact]
    public async Task A_new_table_has_issued_no_ordering()
    {
        await using var file = new JournalFile(JournalTables.Default with { JournalTable = "Journal" });
        await file.CreateAsync();
        Assert.Equal(0, (await PollAsync(file, new(7, [], 10))).LastIssued);
        await file.Appender().AppendAsync(Make.Events("a", 3));
        file.Execute("DELETE FROM journal");
        Assert.Equal(3, (await PollAsync(file, new(7, [], 10))).LastIssued);
        file.Execute("DELETE FROM sqlite_sequence");

        Assert.Equal(0, (await PollAsync(file, new(7, [], 10))).LastIssued);
    }

    [Fact]
    public async Task A_table_without_AUTOINCREMENT_does_not_remember_its_last_issued_ordering()
    {
        await using var file = new JournalFile(JournalTables.Sqlite);
        await file.CreateAsync(Make.Events("a", 3));
        file.Execute("DELETE FROM event_journal WHERE ordering = 3");

        Assert.Null((await PollAsync(file, new(3, [], 10))).LastIssued);
    }

    [Fact]
    public async Task The_engine_returns_the_last_issued_ordering_if_the_table_remembers_it()
    {
        await using var file = new JournalFile();
        await file.CreateAsync(Make.Events("a", 5));
        file.Execute("DELETE FROM journal WHERE ordering > 2");
        Assert.Equal(5, await LastIssuedAsync(file));
        file.Execute("DELETE FROM sqlite_sequence");
        Assert.Equal(2, await LastIssuedAsync(file));
        await using var older = new JournalFile(JournalTables.Sqlite);
        await older.CreateAsync(Make.Events("a", 3));
        Assert.Null(await LastIssuedAsync(older));
    }

    [Fact]
    public async Task There_is_no_oldest_transaction()
    {
        await using var file = new JournalFile();

        Assert.Null(await file.Database().DescribeOldestAsync(new HashSet<string> { "1/2" }, CancellationToken.None));
    }

    private static TailRows Rows(long bytes = long.MaxValue) => new([], new ByteBudget(bytes));

    private static async Task<long?> LastIssuedAsync(JournalFile file)
    {
        await using var reader = SqliteJournal.OpenReader(file.ConnectionString, new() { Tables = file.Tables });
        return await reader.Engine.LastIssuedAsync(CancellationToken.None);
    }

    private static Task<KeysResult> PollAsync(JournalFile file, KeysRequest request) => file.Database().ReadKeysAsync(request, CancellationToken.None);
}
