using System.Text;
using Throttled.Journal.Rows;

namespace Throttled.Journal.Sqlite.Tests;

public sealed class SqliteOrderedTests
{
    [Theory]
    [InlineData(TagMode.TagTable)]
    [InlineData(TagMode.Csv)]
    public async Task Rows_come_complete_and_in_journal_order(TagMode mode)
    {
        await using var file = new JournalFile(JournalTables.Default with { TagMode = mode });
        await file.CreateAsync(Make.Event("b", 1), Make.Event("a", 1, "blue", "green"), Make.Event("b", 2));

        var result = await file.OrderedAsync(OrderedReading.All());

        Assert.Equal([1, 2, 3], result.Orderings());
        var second = result.Events()[1];
        Assert.Equal(("a", 1L, 9, "Happened"), (second.PersistenceId, second.SequenceNumber, second.SerializerId, second.Manifest));
        Assert.Equal([1, 2, 1], second.Payload.ToArray());
        Assert.Equal(["blue", "green"], second.Tags.Order());
        Assert.False(result.MayHaveMore);
    }

    [Fact]
    public async Task A_position_is_exclusive_and_an_end_is_inclusive()
    {
        await using var file = new JournalFile();
        await file.CreateAsync(Make.Events("a", 6));

        var result = await file.OrderedAsync(OrderedReading.All(after: 2, through: 4));

        Assert.Equal([3, 4], result.Orderings());
        Assert.Equal(4, result.UpTo);
    }

    [Fact]
    public async Task A_deleted_row_is_passed_and_not_delivered()
    {
        await using var file = new JournalFile();
        await file.CreateAsync(Make.Events("a", 5));
        file.Execute("UPDATE journal SET deleted = 1 WHERE ordering IN (1, 3)");

        var result = await file.OrderedAsync(OrderedReading.All(), maxRows: 3);

        Assert.Equal([2], result.Orderings());
        Assert.Equal(3, result.UpTo);
        Assert.True(result.MayHaveMore);
    }

    [Fact]
    public async Task At_the_byte_limit_reading_stops()
    {
        await using var file = new JournalFile();
        await file.CreateAsync(Make.Events("a", 10));
        var rows = new OrderedRows([OrderedReading.All()], new(100, long.MaxValue, false), new ByteBudget(300));

        var result = (await file.Database().OrderedAsync(rows))[0];

        Assert.Equal([1, 2, 3], result.Orderings());
        Assert.True(result.MayHaveMore);
    }

    [Theory]
    [InlineData(TagMode.TagTable, 1)]
    [InlineData(TagMode.TagTable, 3)]
    [InlineData(TagMode.Csv, 1)]
    [InlineData(TagMode.Csv, 3)]
    public async Task Pages_of_a_tag_have_each_of_its_events_once(TagMode mode, int maxRows)
    {
        await using var file = new JournalFile(JournalTables.Default with { TagMode = mode });
        await file.CreateAsync([.. Enumerable.Range(1, 30).Select(number => Make.Event("a", number, TagsOf(number)))]);
        file.Execute("UPDATE journal SET deleted = 1 WHERE ordering IN (6, 12)");

        var blue = await file.ByPagesAsync(OrderedReading.Tagged("blue"), maxRows);

        Assert.Equal([3, 9, 15, 18, 21, 24, 27, 30], blue.Select(each => each.Ordering));
        Assert.Equal("blue,even", string.Join(',', blue[3].Tags.Order()));
    }

    [Fact]
    public async Task A_tag_whose_event_is_gone_is_passed()
    {
        await using var file = new JournalFile();
        await file.CreateAsync([.. Enumerable.Range(1, 4).Select(number => Make.Event("a", number, "blue"))]);
        file.Execute("DELETE FROM journal WHERE ordering IN (2, 4)");

        var result = await file.OrderedAsync(OrderedReading.Tagged("blue"));
        var cut = await file.OrderedAsync(OrderedReading.Tagged("blue"), maxRows: 2);

        Assert.Equal([1, 3], result.Orderings());
        Assert.Equal([1], cut.Orderings());
        Assert.Equal(2, cut.UpTo);
    }

    [Fact]
    public async Task A_duplicate_tag_delivers_its_event_once_and_ends_no_page_early()
    {
        await using var file = new JournalFile();
        file.Execute("CREATE TABLE tags (ordering_id BIGINT, tag NVARCHAR(64) COLLATE NOCASE, sequence_nr BIGINT, persistence_id NVARCHAR(255))");
        await file.CreateAsync(Make.Events("a", 3));
        file.Execute("INSERT INTO tags SELECT ordering, t.value, sequence_number, persistence_id FROM journal, json_each('[\"blue\", \"BLUE\", \"blue\"]') t");

        Assert.Equal([1, 2, 3], (await file.ByPagesAsync(OrderedReading.Tagged("blue"), maxRows: 2)).Select(each => each.Ordering));
        Assert.Equal([1, 2, 3], (await file.OrderedAsync(OrderedReading.Tagged("BLUE"))).Orderings());
    }

    [Theory]
    [InlineData(2)]
    [InlineData(40)]
    public async Task Several_tags_in_a_column_are_read_by_one_statement(int tags)
    {
        await using var file = new JournalFile(JournalTables.Sqlite);
        await file.CreateAsync([.. Enumerable.Range(0, 200).Select(number => Make.Event("a", number + 1, $"t{number % 50}", "any"))]);
        file.Execute("UPDATE event_journal SET tags = NULL WHERE ordering = 1; UPDATE event_journal SET tags = '' WHERE ordering = 2");
        var rows = OrderedReading.Of(TagMode.Csv, 10_000, [.. Enumerable.Range(0, tags).Select(tag => OrderedReading.Tagged($"t{tag}"))]);

        var reads = await file.Database().OrderedAsync(rows);

        Assert.Equal((tags * 4) - 2, rows.Rows);
        Assert.Equal([51, 101, 151], reads[0].Orderings());
        Assert.Equal([52, 102, 152], reads[1].Orderings());
        Assert.All(reads.Skip(2), (result, index) => Assert.Equal([index + 3, index + 53, index + 103, index + 153], result.Orderings()));
        Assert.All(reads, result => Assert.False(result.MayHaveMore));
    }

    [Fact]
    public async Task Rows_without_the_tags_do_not_count_towards_the_limit()
    {
        await using var file = new JournalFile(JournalTables.Sqlite);
        await file.CreateAsync([.. Enumerable.Range(1, 100).Select(number => Make.Event("a", number, number % 25 == 0 ? "rare" : "other"))]);
        var rows = OrderedReading.Of(TagMode.Csv, 3, OrderedReading.Tagged("rare"), OrderedReading.Tagged("never"));

        var reads = await file.Database().OrderedAsync(rows);

        Assert.Equal([25, 50, 75], reads[0].Orderings());
        Assert.Empty(reads[1].Events());
        Assert.Equal(75, reads[1].UpTo);
        Assert.True(reads[1].MayHaveMore);
    }

    [Theory]
    [InlineData(TagMode.TagTable)]
    [InlineData(TagMode.Csv)]
    public async Task A_text_payload_is_read_as_UTF_8(TagMode mode)
    {
        await using var file = new JournalFile(JournalTables.Default with { TagMode = mode });
        await file.CreateAsync(Make.Event("a", 1, "blue"));
        const string json = """{"name":"Zoë","n":1}""";
        file.Execute($"UPDATE journal SET message = '{json}'");

        var all = await file.OrderedAsync(OrderedReading.All());
        var blue = await file.OrderedAsync(OrderedReading.Tagged("blue"));

        Assert.Equal(json, Encoding.UTF8.GetString(Assert.Single(all.Events()).Payload.Span));
        Assert.Equal(json, Encoding.UTF8.GetString(Assert.Single(blue.Events()).Payload.Span));
    }

    [Fact]
    public async Task An_unreadable_row_is_named_and_fails_its_statement()
    {
        await using var file = new JournalFile();
        await file.CreateAsync(Make.Events("a", 2));
        file.Execute("UPDATE journal SET created = 'noon' WHERE ordering = 2");

        var error = await Assert.ThrowsAsync<InvalidCastException>(() => file.OrderedAsync(OrderedReading.All()));

        Assert.Contains("the row that begins with 2", error.Message, StringComparison.Ordinal);
    }

    private static string[] TagsOf(int number) => (number % 2, number % 3) switch
    {
        (0, 0) => ["even", "blue"],
        (0, _) => ["even"],
        (_, 0) => ["blue"],
        _ => [],
    };
}
