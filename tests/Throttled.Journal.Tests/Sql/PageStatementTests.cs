using Throttled.Journal.Pages;
using Throttled.Journal.Sql;

namespace Throttled.Journal.Tests.Sql;

public sealed class PageStatementTests
{
    private readonly ByteBudget _budget = new(1000);

    [Fact]
    public void Each_member_gets_its_rows()
    {
        var statement = Statement(members: 3);
        Assert.True(statement.Add(0, Row(1)));
        Assert.True(statement.Add(0, Row(2)));
        Assert.True(statement.Add(2, Row(7)));
        var pages = Complete(statement);
        Assert.Equal([1, 2], Numbers(pages[0]));
        Assert.Equal(new PageRead(null, null, false), pages[1]);
        Assert.Equal([7], Numbers(pages[2]));
    }

    [Fact]
    public void A_page_below_its_limit_is_the_last()
    {
        var statement = Statement(members: 1, limit: 3);
        statement.Add(0, Row(1));
        Assert.False(Complete(statement)[0]!.Value.MoreMayFollow);
    }

    [Fact]
    public void A_page_at_its_limit_may_not_be_the_last_deleted_rows_counted()
    {
        var statement = Statement(members: 1, limit: 2);
        statement.Add(0, Row(1));
        statement.AddDeleted(0, 2);
        var read = Complete(statement)[0]!.Value;
        Assert.Equal((true, 2), (read.MoreMayFollow, read.LastRow));
        Assert.Equal([1], Numbers(read));
    }

    [Fact]
    public void Deleted_rows_alone_are_no_page_and_move_the_position()
    {
        var statement = Statement(members: 1);
        statement.AddDeleted(0, 4);
        Assert.Equal(new PageRead(null, 4, false), Complete(statement)[0]);
    }

    [Fact]
    public void At_the_bound_of_rows_reading_stops_and_the_rest_was_not_reached()
    {
        var statement = Statement(members: 3, maxRows: 2);
        Assert.True(statement.Add(0, Row(1)));
        Assert.False(statement.Add(1, Row(1)));
        var pages = Complete(statement);
        Assert.True(pages[1]!.Value.MoreMayFollow);
        Assert.Null(pages[2]);
    }

    [Fact]
    public void A_member_before_the_cut_is_whole_and_the_one_at_the_cut_is_not()
    {
        var statement = Statement(members: 2, maxRows: 2);
        statement.Add(0, Row(1));
        statement.Add(1, Row(1));
        var pages = Complete(statement);
        Assert.False(pages[0]!.Value.MoreMayFollow);
        Assert.True(pages[1]!.Value.MoreMayFollow);
    }

    [Fact]
    public void At_the_bound_of_bytes_reading_stops_after_the_row()
    {
        var statement = Statement(members: 2);
        Assert.True(statement.Add(0, Row(1, payload: 500)));
        Assert.False(statement.Add(0, Row(2, payload: 500)));
        Assert.True(statement.IsStopped);
        Assert.Null(Complete(statement)[1]);
        Assert.Equal(2 * 628, _budget.Used);
    }

    [Fact]
    public void Bytes_of_discarded_rows_are_given_back_those_of_closed_members_too()
    {
        var statement = Statement(members: 3);
        statement.Add(0, Row(1));
        statement.Add(2, Row(1));
        statement.Discard();
        Assert.Equal(0, _budget.Used);
    }

    [Fact]
    public void The_bytes_of_the_pages_are_the_bytes_taken()
    {
        var statement = Statement(members: 2);
        statement.Add(0, Row(1, payload: 3));
        statement.Add(1, Row(1, payload: 5));
        Assert.Equal(_budget.Used, Complete(statement).Sum(read => read!.Value.Page!.Bytes));
    }

    [Theory]
    [InlineData(0, 9)]
    [InlineData(1, 5)]
    [InlineData(1, 4)]
    public void Rows_out_of_order_are_refused(int member, long sequenceNumber)
    {
        var statement = Statement(members: 2);
        statement.Add(1, Row(5));
        Assert.Throws<InvalidOperationException>(() => statement.Add(member, Row(sequenceNumber)));
    }

    [Fact]
    public void More_rows_than_the_first_array_holds_are_kept_in_order()
    {
        var statement = Statement(members: 1, limit: 1000, budget: new(long.MaxValue));
        for (var i = 1; i <= 700; i++)
            statement.Add(0, Row(i));
        Assert.Equal(Enumerable.Range(1, 700).Select(i => (long)i), Numbers(Complete(statement)[0]));
    }

    [Fact]
    public void Events_for_their_tags_are_those_of_all_members_from_the_ordering_on()
    {
        var statement = Statement(members: 2);
        statement.Add(0, Row(1, ordering: 10));
        statement.Add(0, Row(2, ordering: 30));
        statement.Add(1, Row(1, ordering: 20));
        Assert.Equal([30, 20], statement.EventsFrom(15).Select(row => row.Ordering));
    }

    private static IReadOnlyList<PageRead?> Complete(PageStatement statement)
    {
        statement.Complete();
        return statement.Pages;
    }

    private static JournalEvent Row(long sequenceNumber, int payload = 1, long ordering = 0) =>
        new() { PersistenceId = "p", SequenceNumber = sequenceNumber, Payload = new byte[payload], Ordering = ordering };

    private static IEnumerable<long> Numbers(PageRead? read)
    {
        var page = read!.Value.Page!;
        for (var i = 0; i < page.Count; i++)
            yield return page[i]!.SequenceNumber;
    }

    private PageStatement Statement(int members, int limit = 100, int maxRows = 1000, ByteBudget? budget = null) =>
        new([.. Enumerable.Range(0, members).Select(i => new PageAsk($"p{i}", new(0, long.MaxValue), limit))], maxRows, budget ?? _budget);
}
