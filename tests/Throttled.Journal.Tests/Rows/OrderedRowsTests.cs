using Throttled.Journal.Rows;

namespace Throttled.Journal.Tests.Rows;

public sealed class OrderedRowsTests
{
    private static readonly EventFilter Red = new() { Tag = "red" };
    private static readonly OrderedRequest All = new(EventFilter.All, 0, 100, 50);

    private readonly ByteBudget _budget = new(100_000);

    [Fact]
    public void A_query_that_reads_to_the_end_stands_at_the_upper_bound()
    {
        var rows = Statement([All]);
        Add(rows, 3, 5);
        var result = Close(rows)[0];
        Assert.Equal([3, 5], Orderings(result));
        Assert.Equal((100, false), (result.UpTo, result.MayHaveMore));
    }

    [Fact]
    public void An_empty_range_moves_the_position_too()
    {
        var result = Close(Statement([All with { After = 7 }]))[0];
        Assert.Equal(new(null, 100, false) { Limit = All.Limit }, result);
    }

    [Fact]
    public void A_full_page_ends_at_its_last_event_and_more_may_follow()
    {
        var rows = Statement([All with { Limit = 2 }]);
        Assert.True(rows.Add(Row(3)));
        Assert.False(rows.Add(Row(5)));
        var result = Close(rows)[0];
        Assert.Equal((5, true), (result.UpTo, result.MayHaveMore));
    }

    [Fact]
    public void Deleted_rows_are_not_delivered_but_count_as_rows()
    {
        var rows = Statement([All], maxRows: 2);
        Assert.True(rows.Add(Row(3)));
        Assert.False(rows.AddDeleted(5));
        var result = Close(rows)[0];
        Assert.Equal([3], Orderings(result));
        Assert.Equal((5, true), (result.UpTo, result.MayHaveMore));
    }

    [Fact]
    public void A_statement_that_stops_at_the_row_limit_has_not_read_to_the_end()
    {
        var rows = Statement([All], maxRows: 2);
        rows.Add(Row(3));
        rows.Add(Row(5));
        Assert.True(Close(rows)[0].MayHaveMore);
    }

    [Fact]
    public void A_window_ends_the_statement_and_more_may_follow()
    {
        var rows = Statement([All with { After = 10, Filter = Red }], window: 20);
        Assert.Equal(30, rows.UpTo);
        Assert.Equal(new(null, 30, true) { Limit = All.Limit }, Close(rows)[0]);
    }

    [Fact]
    public void A_window_without_end_does_not_overflow() =>
        Assert.Equal(100, Statement([All with { After = 10 }], window: long.MaxValue).UpTo);

    [Fact]
    public void If_required_it_stops_before_a_gap()
    {
        var rows = Statement([All with { StopsAtGap = true }]);
        Add(rows, 1, 2);
        Assert.False(rows.Add(Row(4)));
        var result = Close(rows)[0];
        Assert.Equal([1, 2], Orderings(result));
        Assert.Equal((2, false), (result.UpTo, result.MayHaveMore));
    }

    [Fact]
    public void It_does_not_move_if_the_next_ordering_is_missing()
    {
        var rows = Statement([All with { After = 5, StopsAtGap = true }]);
        Add(rows, 7);
        Assert.Equal(new(null, 5, false) { Limit = All.Limit, StoppedAtGap = true }, Close(rows)[0]);
    }

    [Fact]
    public void A_gap_at_the_end_counts_too()
    {
        var rows = Statement([All with { UpTo = 6, StopsAtGap = true }, All with { UpTo = 2, StopsAtGap = true }]);
        Add(rows, 1, 2, 3);
        var reads = Close(rows);
        Assert.Equal((3, false), (reads[0].UpTo, reads[0].MayHaveMore));
        Assert.Equal((2, false), (reads[1].UpTo, reads[1].MayHaveMore));
    }

    [Fact]
    public void Deleted_rows_are_no_gap()
    {
        var rows = Statement([All with { UpTo = 3, StopsAtGap = true }]);
        rows.Add(Row(1));
        rows.AddDeleted(2);
        rows.Add(Row(3));
        Assert.Equal([1, 3], Orderings(Close(rows)[0]));
    }

    [Fact]
    public void Equal_queries_get_the_same_events_and_each_counts_their_bytes()
    {
        var rows = Statement([All, All, All]);
        Add(rows, 1, 2);
        var reads = Close(rows);
        Assert.Same(reads[0].Page![0], reads[2].Page![0]);
        Assert.NotSame(reads[0].Page, reads[1].Page);
        Assert.Equal(reads.Sum(result => result.Page!.Bytes), _budget.Used);
    }

    [Fact]
    public void A_page_discarded_by_one_query_stays_for_the_others()
    {
        var rows = Statement([All, All]);
        Add(rows, 1);
        var reads = Close(rows);
        reads[0].Page!.Reclaim();
        Assert.Equal([1], Orderings(reads[1]));
    }

    [Fact]
    public void Different_queries_get_their_own_events()
    {
        var slice = JournalSlices.Of("q");
        var rows = Statement([
            All,
            All with { After = 2 },
            All with { UpTo = 3 },
            All with { Filter = new() { Slices = new(slice, slice) } },
        ]);
        rows.Add(Row(1));
        rows.Add(Row(2, "q"));
        rows.Add(Row(4));
        var reads = Close(rows);
        Assert.Equal([1, 2, 4], Orderings(reads[0]));
        Assert.Equal([4], Orderings(reads[1]));
        Assert.Equal([1, 2], Orderings(reads[2]));
        Assert.Equal([2], Orderings(reads[3]));
        Assert.Equal([100, 100, 3, 100], reads.Select(result => result.UpTo));
    }

    [Fact]
    public void A_query_beyond_the_end_of_the_statement_stays_where_it_is()
    {
        var rows = Statement([All, All with { After = 20 }], maxRows: 2);
        Add(rows, 1, 2);
        var result = Close(rows)[1];
        Assert.Equal((20, true), (result.UpTo, result.MayHaveMore));
    }

    [Fact]
    public void It_stops_when_all_queries_have_enough()
    {
        var rows = Statement([All with { Limit = 1 }, All with { Limit = 2 }]);
        Assert.True(rows.Add(Row(1)));
        Assert.False(rows.Add(Row(2)));
        Assert.Equal([1], Orderings(Close(rows)[0]));
    }

    [Fact]
    public void Tags_are_case_sensitive_whatever_the_collation()
    {
        var rows = Statement([All with { Filter = Red }], tagsComeLater: true);
        Add(rows, 1, 2);
        rows.EventsFrom(0)[0].Tag(["red"]);
        rows.EventsFrom(0)[1].Tag(["RED"]);
        var result = Close(rows)[0];
        Assert.Equal([1], Orderings(result));
        Assert.Equal(result.Page!.Bytes, _budget.Used);
    }

    [Fact]
    public void Bytes_of_rows_that_match_no_query_are_returned()
    {
        var rows = Statement([All with { Filter = Red }]);
        Add(rows, 1, 2, 3);
        Close(rows);
        Assert.Equal(0, _budget.Used);
    }

    [Fact]
    public void Discarding_returns_all_bytes()
    {
        var rows = Statement([All, All with { After = 1 }]);
        for (var i = 1; i <= 20; i++)
            Add(rows, i);
        Assert.NotEqual(0, _budget.Used);
        rows.Discard();
        Assert.Equal(0, _budget.Used);
    }

    [Fact]
    public void A_query_that_leaves_before_delivery_returns_its_bytes()
    {
        var rows = Statement([All, All]);
        Add(rows, 1, 2);
        var bytes = Close(rows)[0].Page!.Bytes;
        rows.Drop(0);
        Assert.Equal(bytes, _budget.Used);
        rows.Drop(1);
        Assert.Equal(0, _budget.Used);
    }

    [Fact]
    public void It_stops_when_the_bytes_run_out()
    {
        var budget = new ByteBudget(200);
        var rows = new OrderedRows([All], new(1000, long.MaxValue, false), budget);
        Assert.True(rows.Add(Row(1)));
        Assert.False(rows.Add(Row(2)));
        var result = Close(rows)[0];
        Assert.Equal((2, true), (result.UpTo, result.MayHaveMore));
    }

    [Theory]
    [InlineData(5)]
    [InlineData(4)]
    [InlineData(101)]
    public void Rows_out_of_order_or_out_of_range_are_refused(long ordering)
    {
        var rows = Statement([All]);
        rows.Add(Row(5));
        Assert.Throws<InvalidOperationException>(() => rows.Add(Row(ordering)));
    }

    [Fact]
    public void It_reads_each_tag_of_its_queries_once() =>
        Assert.Equal(["red", "blue"], Statement([
            All with { Filter = Red }, All with { Filter = new() { Tag = "blue" } }, All with { Filter = Red, After = 3 },
        ]).Tags!);

    private static JournalEvent Row(long ordering, string id = "p") =>
        new() { Ordering = ordering, PersistenceId = id, SequenceNumber = ordering, Payload = new byte[10] };

    private static void Add(OrderedRows rows, params long[] orderings)
    {
        foreach (var ordering in orderings)
            rows.Add(Row(ordering));
    }

    private static IReadOnlyList<OrderedResult> Close(OrderedRows rows)
    {
        rows.Complete();
        return rows.Results;
    }

    private static IEnumerable<long> Orderings(OrderedResult result)
    {
        for (var i = 0; i < (result.Page?.Count ?? 0); i++)
            yield return result.Page![i]!.Ordering;
    }

    private OrderedRows Statement(
        OrderedRequest[] requests, int maxRows = 1000, long window = long.MaxValue, bool tagsComeLater = false) =>
        new(requests, new(maxRows, window, tagsComeLater), _budget);
}
