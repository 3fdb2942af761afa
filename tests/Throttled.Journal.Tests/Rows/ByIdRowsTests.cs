using Throttled.Journal.Rows;

namespace Throttled.Journal.Tests.Rows;

public sealed class ByIdRowsTests
{
    private readonly ByteBudget _budget = new(1000);

    [Fact]
    public void Each_member_gets_its_rows()
    {
        var rows = Statement(members: 3);
        Assert.True(rows.Add(0, Row(1)));
        Assert.True(rows.Add(0, Row(2)));
        Assert.True(rows.Add(2, Row(7)));
        var pages = Complete(rows);
        Assert.Equal([1, 2], Numbers(pages[0]));
        Assert.Equal(new ByIdResult(null, null, false), pages[1]);
        Assert.Equal([7], Numbers(pages[2]));
    }

    [Fact]
    public void A_page_with_fewer_rows_than_its_limit_is_the_last()
    {
        var rows = Statement(members: 1, limit: 3);
        rows.Add(0, Row(1));
        Assert.False(Complete(rows)[0]!.Value.MayHaveMore);
    }

    [Fact]
    public void Deleted_rows_count_towards_the_limit_and_a_full_page_may_not_be_the_last()
    {
        var rows = Statement(members: 1, limit: 2);
        rows.Add(0, Row(1));
        rows.AddDeleted(0, 2);
        var result = Complete(rows)[0]!.Value;
        Assert.Equal((true, 2), (result.MayHaveMore, result.LastRow));
        Assert.Equal([1], Numbers(result));
    }

    [Fact]
    public void Deleted_rows_alone_make_no_page_but_move_the_position()
    {
        var rows = Statement(members: 1);
        rows.AddDeleted(0, 4);
        Assert.Equal(new ByIdResult(null, 4, false), Complete(rows)[0]);
    }

    [Fact]
    public void At_the_row_limit_reading_stops_and_the_rest_is_not_reached()
    {
        var rows = Statement(members: 3, maxRows: 2);
        Assert.True(rows.Add(0, Row(1)));
        Assert.False(rows.Add(1, Row(1)));
        var pages = Complete(rows);
        Assert.True(pages[1]!.Value.MayHaveMore);
        Assert.Null(pages[2]);
    }

    [Fact]
    public void A_query_before_the_cut_is_complete_and_the_one_at_the_cut_is_not()
    {
        var rows = Statement(members: 2, maxRows: 2);
        rows.Add(0, Row(1));
        rows.Add(1, Row(1));
        var pages = Complete(rows);
        Assert.False(pages[0]!.Value.MayHaveMore);
        Assert.True(pages[1]!.Value.MayHaveMore);
    }

    [Fact]
    public void At_the_byte_limit_reading_stops_after_the_row()
    {
        var rows = Statement(members: 2);
        Assert.True(rows.Add(0, Row(1, payload: 500)));
        Assert.False(rows.Add(0, Row(2, payload: 500)));
        Assert.True(rows.IsStopped);
        Assert.Null(Complete(rows)[1]);
        Assert.Equal(2 * 628, _budget.Used);
    }

    [Fact]
    public void Bytes_of_discarded_rows_and_closed_queries_are_returned()
    {
        var rows = Statement(members: 3);
        rows.Add(0, Row(1));
        rows.Add(2, Row(1));
        rows.Discard();
        Assert.Equal(0, _budget.Used);
    }

    [Fact]
    public void Pages_count_exactly_the_bytes_that_were_reserved()
    {
        var rows = Statement(members: 2);
        rows.Add(0, Row(1, payload: 3));
        rows.Add(1, Row(1, payload: 5));
        Assert.Equal(_budget.Used, Complete(rows).Sum(result => result!.Value.Page!.Bytes));
    }

    [Theory]
    [InlineData(0, 9)]
    [InlineData(1, 5)]
    [InlineData(1, 4)]
    public void Rows_out_of_order_are_refused(int member, long sequenceNumber)
    {
        var rows = Statement(members: 2);
        rows.Add(1, Row(5));
        Assert.Throws<InvalidOperationException>(() => rows.Add(member, Row(sequenceNumber)));
    }

    [Fact]
    public void More_rows_than_the_first_array_holds_are_kept_in_order()
    {
        var rows = Statement(members: 1, limit: 1000, budget: new(long.MaxValue));
        for (var i = 1; i <= 700; i++)
            rows.Add(0, Row(i));
        Assert.Equal(Enumerable.Range(1, 700).Select(i => (long)i), Numbers(Complete(rows)[0]));
    }

    [Fact]
    public void Tags_are_requested_for_the_events_of_all_queries_from_an_ordering_on()
    {
        var rows = Statement(members: 2);
        rows.Add(0, Row(1, ordering: 10));
        rows.Add(0, Row(2, ordering: 30));
        rows.Add(1, Row(1, ordering: 20));
        Assert.Equal([30, 20], rows.EventsFrom(15).Select(row => row.Ordering));
    }

    private static IReadOnlyList<ByIdResult?> Complete(ByIdRows rows)
    {
        rows.Complete();
        return rows.Pages;
    }

    private static JournalEvent Row(long sequenceNumber, int payload = 1, long ordering = 0) =>
        new() { PersistenceId = "p", SequenceNumber = sequenceNumber, Payload = new byte[payload], Ordering = ordering };

    private static IEnumerable<long> Numbers(ByIdResult? result)
    {
        var page = result!.Value.Page!;
        for (var i = 0; i < page.Count; i++)
            yield return page[i]!.SequenceNumber;
    }

    private ByIdRows Statement(int members, int limit = 100, int maxRows = 1000, ByteBudget? budget = null) =>
        new([.. Enumerable.Range(0, members).Select(i => new ByIdRequest($"p{i}", new(0, long.MaxValue), limit))], maxRows, budget ?? _budget);
}
