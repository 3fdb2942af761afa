using Throttled.Journal.Database;
using Throttled.Journal.Rows;
using static Throttled.Journal.PostgreSql.Tests.TestJournal;

namespace Throttled.Journal.PostgreSql.Tests;

public class OrderedTests
{
    private static readonly OrderedLimits Wide = new(1000, long.MaxValue, TagsComeLater: false);

    [PostgreSqlFact]
    public async Task Events_of_a_window_come_in_order_with_their_tags()
    {
        await using var journal = await CreateAsync();
        await journal.AppendAsync(Event("b", 1), Event("a", 1, "x", "y"), Event("b", 2), Event("a", 2, "z"), Event("c", 1));
        var result = await ReadAsync(journal, new OrderedRequest(EventFilter.All, After: 1, UpTo: 4, Limit: 10));
        var events = Events(result).ToList();
        Assert.Equal([2, 3, 4], events.Select(row => row.Ordering));
        Assert.Equal(["a", "b", "a"], events.Select(row => row.PersistenceId));
        Assert.Equal([1, 2, 2], events.Select(row => row.SequenceNumber));
        Assert.Equal(["x", "y"], events[0].Tags.Order());
        Assert.Equal((7, "some-manifest"), (events[1].SerializerId, events[1].Manifest));
        Assert.Equal((4, false), (result.UpTo, result.MayHaveMore));
    }

    [PostgreSqlFact]
    public async Task A_deleted_event_is_passed_and_not_delivered()
    {
        await using var journal = await CreateAsync();
        await journal.AppendAsync("a", 3);
        await journal.ExecuteAsync("UPDATE journal SET deleted = true WHERE ordering <> 2");
        var result = await ReadAsync(journal, new OrderedRequest(EventFilter.All, 0, 100, 10));
        Assert.Equal([2], Events(result).Select(row => row.Ordering));
        Assert.Equal((100, false), (result.UpTo, result.MayHaveMore));
    }

    [PostgreSqlTheory]
    [InlineData(null)]
    [InlineData("t")]
    public async Task A_statement_ends_by_itself_at_its_row_bound(string? tag)
    {
        await using var journal = await CreateAsync();
        await journal.AppendAsync([.. Enumerable.Range(1, 9).Select(n => Event("a", n, "t"))]);
        var rows = await journal.ReadOrderedAsync(
            Wide with { MaxRows = 4 }, new OrderedRequest(new() { Tag = tag }, 2, long.MaxValue, 100));
        Assert.Equal([3, 4, 5, 6], Events(rows.Results[0]).Select(row => row.Ordering));
        Assert.Equal((6, true), (rows.Results[0].UpTo, rows.Results[0].MayHaveMore));
    }

    [PostgreSqlFact]
    public async Task An_event_that_has_a_tag_twice_is_read_once()
    {
        await using var journal = await CreateAsync();
        await journal.AppendAsync(Event("a", 1, "t"), Event("a", 2, "t"));
        await journal.ExecuteAsync("ALTER TABLE tags DROP CONSTRAINT tags_pkey; INSERT INTO tags SELECT * FROM tags WHERE ordering_id = 1");
        Assert.Equal<long[]>([1, 2], await journal.TaggedAsync("t"));
    }

    [PostgreSqlFact]
    public async Task Tags_added_to_old_events_are_found_by_tag_queries()
    {
        await using var journal = await CreateAsync();
        await journal.AppendAsync("a", 3);
        await journal.Database.ReadTagHorizonAsync(3, default);
        await journal.ExecuteAsync("INSERT INTO tags(ordering_id, tag, sequence_nr, persistence_id) VALUES (2, 'later', 2, 'a')");
        Assert.Equal<long[]>([2], await journal.TaggedAsync("later"));
    }

    [PostgreSqlFact]
    public async Task A_statement_whose_queries_are_full_ends_on_the_server()
    {
        await using var journal = await CreateAsync();
        await journal.ExecuteAsync(
            "INSERT INTO journal(deleted, persistence_id, sequence_number, created, message) "
            + "SELECT false, 'a', n, 0, decode(repeat('00', 1000), 'hex') FROM generate_series(1, 60000) n");
        var rows = await journal.ReadOrderedAsync(Wide with { MaxRows = 100_000 }, new OrderedRequest(EventFilter.All, 0, long.MaxValue, 5));
        Assert.Equal(0, await journal.RunningAsync());
        Assert.Equal([1, 2, 3, 4, 5], Events(rows.Results[0]).Select(row => row.Ordering));
    }

    [PostgreSqlFact]
    public async Task A_tag_whose_event_is_deleted_or_gone_is_passed()
    {
        await using var journal = await CreateAsync();
        await journal.AppendAsync([.. Enumerable.Range(1, 6).Select(n => Event("a", n, "t"))]);
        await journal.ExecuteAsync("UPDATE journal SET deleted = true WHERE ordering = 2; DELETE FROM journal WHERE ordering IN (3, 6)");
        var rows = await journal.ReadOrderedAsync(Wide, new OrderedRequest(new() { Tag = "t" }, 0, 6, 100));
        Assert.Equal([1, 4, 5], Events(rows.Results[0]).Select(row => row.Ordering));
        Assert.Equal((6, 6), (rows.Rows, rows.Results[0].UpTo));
    }

    [PostgreSqlTheory]
    [InlineData("journal", nameof(FaultKind.MissingTable))]
    [InlineData("tags", nameof(FaultKind.Fatal))]
    [InlineData("journal, tags", nameof(FaultKind.MissingTable))]
    public async Task The_error_names_the_table_that_is_missing(string tables, string kind)
    {
        await using var journal = await CreateAsync();
        await journal.ExecuteAsync($"DROP TABLE {tables}");
        var error = await Assert.ThrowsAnyAsync<Exception>(() => journal.TaggedAsync("t"));
        Assert.Equal(kind, journal.Database.Classify(error).ToString());
    }

    [PostgreSqlFact]
    public async Task Several_tags_are_read_from_the_column_in_one_statement()
    {
        await using var journal = await CreateAsync(JournalTables.PostgreSql);
        await journal.AppendAsync(Event("a", 1, "x"), Event("a", 2, "y", "x"), Event("a", 3, "z"), Event("a", 4), Event("a", 5, "y"));
        await journal.ExecuteAsync("UPDATE event_journal SET tags = NULL WHERE ordering = 4; UPDATE event_journal SET is_deleted = true WHERE ordering = 5");
        var rows = await journal.ReadOrderedAsync(
            Wide, new(new() { Tag = "x" }, 0, 100, 10), new(new() { Tag = "y" }, 1, 4, 10), new(new() { Tag = "none" }, 0, 100, 10));
        Assert.Equal([1, 2], Events(rows.Results[0]).Select(row => row.Ordering));
        Assert.Equal([2], Events(rows.Results[1]).Select(row => row.Ordering));
        Assert.Empty(Events(rows.Results[2]));
        Assert.Equal(3, rows.Rows);
    }

    [PostgreSqlFact]
    public async Task A_window_limits_the_search_in_the_column()
    {
        await using var journal = await CreateAsync(JournalTables.PostgreSql);
        await journal.AppendAsync([.. Enumerable.Range(1, 9).Select(n => Event("a", n, n % 4 == 0 ? "t" : "o"))]);
        var rows = await journal.ReadOrderedAsync(Wide with { Window = 5 }, new OrderedRequest(new() { Tag = "t" }, 2, 9, 10));
        Assert.Equal([4], Events(rows.Results[0]).Select(row => row.Ordering));
        Assert.Equal((7, true), (rows.Results[0].UpTo, rows.Results[0].MayHaveMore));
    }

    [PostgreSqlFact]
    public async Task Events_are_read_by_tag_behind_a_pooler_too()
    {
        await using var journal = await CreateAsync();
        await using var database = journal.Open(new() { PrepareStatements = false });
        await journal.AppendAsync(Event("a", 1, "t"), Event("a", 2, "t"));
        var rows = new OrderedRows(
            [new(new() { Tag = "t" }, 0, 10, 10)], Wide with { TagsComeLater = true }, new ByteBudget(long.MaxValue));
        await database.ReadOrderedAsync(rows, default);
        rows.Complete();
        Assert.Equal(2, rows.Results[0].Page!.Count);
    }

    private static async Task<OrderedResult> ReadAsync(TestJournal journal, OrderedRequest request) =>
        (await journal.ReadOrderedAsync(Wide, request)).Results[0];
}
