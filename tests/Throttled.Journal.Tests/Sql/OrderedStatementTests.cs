using Throttled.Journal.Pages;
using Throttled.Journal.Sql;

namespace Throttled.Journal.Tests.Sql;

public sealed class OrderedStatementTests
{
    private static readonly EventFilter Red = new() { Tag = "red" };
    private static readonly OrderedAsk All = new(EventFilter.All, 0, 100, 50);

    private readonly ByteBudget _budget = new(100_000);

    [Fact]
    public void Who_reads_to_the_end_stands_where_it_may_read_to()
    {
        var statement = Statement([All]);
        Add(statement, 3, 5);
        var read = Close(statement)[0];
        Assert.Equal([3, 5], Orderings(read));
        Assert.Equal((100, false), (read.Through, read.MoreMayFollow));
    }

    [Fact]
    public void Nothing_there_moves_the_position_all_the_same()
    {
        var read = Close(Statement([All with { After = 7 }]))[0];
        Assert.Equal(new(null, 100, false), read);
    }

    [Fact]
    public void A_full_page_ends_at_its_last_event_and_more_may_follow()
    {
        var statement = Statement([All with { Limit = 2 }]);
        Assert.True(statement.Add(Row(3)));
        Assert.False(statement.Add(Row(5)));
        var read = Close(statement)[0];
        Assert.Equal((5, true), (read.Through, read.MoreMayFollow));
    }

    [Fact]
    public void Deleted_rows_are_no_events_and_count_as_rows()
    {
        var statement = Statement([All], maxRows: 2);
        Assert.True(statement.Add(Row(3)));
        Assert.False(statement.AddDeleted(5));
        var read = Close(statement)[0];
        Assert.Equal([3], Orderings(read));
        Assert.Equal((5, true), (read.Through, read.MoreMayFollow));
    }

    [Fact]
    public void A_database_that_stops_by_itself_at_the_most_rows_has_not_read_to_the_end()
    {
        var statement = Statement([All], maxRows: 2);
        statement.Add(Row(3));
        statement.Add(Row(5));
        Assert.True(Close(statement)[0].MoreMayFollow);
    }

    [Fact]
    public void A_window_ends_the_statement_and_more_may_follow()
    {
        var statement = Statement([All with { After = 10, Filter = Red }], window: 20);
        Assert.Equal(30, statement.Through);
        Assert.Equal(new(null, 30, true), Close(statement)[0]);
    }

    [Fact]
    public void A_window_without_end_does_not_overflow() =>
        Assert.Equal(100, Statement([All with { After = 10 }], window: long.MaxValue).Through);

    [Fact]
    public void It_stops_before_what_is_missing_where_it_has_to()
    {
        var statement = Statement([All with { StopsAtGap = true }]);
        Add(statement, 1, 2);
        Assert.False(statement.Add(Row(4)));
        var read = Close(statement)[0];
        Assert.Equal([1, 2], Orderings(read));
        Assert.Equal((2, false), (read.Through, read.MoreMayFollow));
    }

    [Fact]
    public void It_stops_where_it_is_when_the_next_is_missing()
    {
        var statement = Statement([All with { After = 5, StopsAtGap = true }]);
        Add(statement, 7);
        Assert.Equal(new(null, 5, false) { StoppedAtGap = true }, Close(statement)[0]);
    }

    [Fact]
    public void What_is_missing_at_the_end_is_missing_too()
    {
        var statement = Statement([All with { Through = 6, StopsAtGap = true }, All with { Through = 2, StopsAtGap = true }]);
        Add(statement, 1, 2, 3);
        var reads = Close(statement);
        Assert.Equal((3, false), (reads[0].Through, reads[0].MoreMayFollow));
        Assert.Equal((2, false), (reads[1].Through, reads[1].MoreMayFollow));
    }

    [Fact]
    public void Deleted_rows_are_not_missing()
    {
        var statement = Statement([All with { Through = 3, StopsAtGap = true }]);
        statement.Add(Row(1));
        statement.AddDeleted(2);
        statement.Add(Row(3));
        Assert.Equal([1, 3], Orderings(Close(statement)[0]));
    }

    [Fact]
    public void Members_that_want_the_same_get_the_same_events_and_each_counts_them()
    {
        var statement = Statement([All, All, All]);
        Add(statement, 1, 2);
        var reads = Close(statement);
        Assert.Same(reads[0].Page![0], reads[2].Page![0]);
        Assert.NotSame(reads[0].Page, reads[1].Page);
        Assert.Equal(reads.Sum(read => read.Page!.Bytes), _budget.Used);
    }

    [Fact]
    public void A_page_forgotten_by_one_is_still_there_for_the_others()
    {
        var statement = Statement([All, All]);
        Add(statement, 1);
        var reads = Close(statement);
        reads[0].Page!.Forget();
        Assert.Equal([1], Orderings(reads[1]));
    }

    [Fact]
    public void Members_with_different_wants_get_what_they_want()
    {
        var slice = JournalSlices.Of("q");
        var statement = Statement([
            All,
            All with { After = 2 },
            All with { Through = 3 },
            All with { Filter = new() { Slices = new(slice, slice) } },
        ]);
        statement.Add(Row(1));
        statement.Add(Row(2, "q"));
        statement.Add(Row(4));
        var reads = Close(statement);
        Assert.Equal([1, 2, 4], Orderings(reads[0]));
        Assert.Equal([4], Orderings(reads[1]));
        Assert.Equal([1, 2], Orderings(reads[2]));
        Assert.Equal([2], Orderings(reads[3]));
        Assert.Equal([100, 100, 3, 100], reads.Select(read => read.Through));
    }

    [Fact]
    public void A_member_that_is_further_ahead_than_the_statement_got_stays_where_it_is()
    {
        var statement = Statement([All, All with { After = 20 }], maxRows: 2);
        Add(statement, 1, 2);
        var read = Close(statement)[1];
        Assert.Equal((20, true), (read.Through, read.MoreMayFollow));
    }

    [Fact]
    public void It_stops_when_all_members_have_enough()
    {
        var statement = Statement([All with { Limit = 1 }, All with { Limit = 2 }]);
        Assert.True(statement.Add(Row(1)));
        Assert.False(statement.Add(Row(2)));
        Assert.Equal([1], Orderings(Close(statement)[0]));
    }

    [Fact]
    public void Tags_are_compared_to_the_letter_whatever_the_database_says()
    {
        var statement = Statement([All with { Filter = Red }], tagsComeLater: true);
        Add(statement, 1, 2);
        statement.EventsFrom(0)[0].Tag(["red"]);
        statement.EventsFrom(0)[1].Tag(["RED"]);
        var read = Close(statement)[0];
        Assert.Equal([1], Orderings(read));
        Assert.Equal(read.Page!.Bytes, _budget.Used);
    }

    [Fact]
    public void Rows_that_nobody_wants_cost_no_bytes_in_the_end()
    {
        var statement = Statement([All with { Filter = Red }]);
        Add(statement, 1, 2, 3);
        Close(statement);
        Assert.Equal(0, _budget.Used);
    }

    [Fact]
    public void Where_it_is_discarded_all_bytes_go_back()
    {
        var statement = Statement([All, All with { After = 1 }]);
        for (var i = 1; i <= 20; i++)
            Add(statement, i);
        Assert.NotEqual(0, _budget.Used);
        statement.Discard();
        Assert.Equal(0, _budget.Used);
    }

    [Fact]
    public void Who_leaves_before_it_is_given_gives_its_bytes_back()
    {
        var statement = Statement([All, All]);
        Add(statement, 1, 2);
        var bytes = Close(statement)[0].Page!.Bytes;
        statement.Drop(0);
        Assert.Equal(bytes, _budget.Used);
        statement.Drop(1);
        Assert.Equal(0, _budget.Used);
    }

    [Fact]
    public void It_stops_when_the_bytes_are_spent()
    {
        var budget = new ByteBudget(200);
        var statement = new OrderedStatement([All], new(1000, long.MaxValue, false), budget);
        Assert.True(statement.Add(Row(1)));
        Assert.False(statement.Add(Row(2)));
        var read = Close(statement)[0];
        Assert.Equal((2, true), (read.Through, read.MoreMayFollow));
    }

    [Theory]
    [InlineData(5)]
    [InlineData(4)]
    [InlineData(101)]
    public void Rows_out_of_order_or_out_of_range_are_refused(long ordering)
    {
        var statement = Statement([All]);
        statement.Add(Row(5));
        Assert.Throws<InvalidOperationException>(() => statement.Add(Row(ordering)));
    }

    [Fact]
    public void It_reads_all_tags_of_its_members_once() =>
        Assert.Equal(["red", "blue"], Statement([
            All with { Filter = Red }, All with { Filter = new() { Tag = "blue" } }, All with { Filter = Red, After = 3 },
        ]).Tags!);

    private static JournalEvent Row(long ordering, string id = "p") =>
        new() { Ordering = ordering, PersistenceId = id, SequenceNumber = ordering, Payload = new byte[10] };

    private static void Add(OrderedStatement statement, params long[] orderings)
    {
        foreach (var ordering in orderings)
            statement.Add(Row(ordering));
    }

    private static IReadOnlyList<OrderedRead> Close(OrderedStatement statement)
    {
        statement.Complete();
        return statement.Reads;
    }

    private static IEnumerable<long> Orderings(OrderedRead read)
    {
        for (var i = 0; i < (read.Page?.Count ?? 0); i++)
            yield return read.Page![i]!.Ordering;
    }

    private OrderedStatement Statement(
        OrderedAsk[] asks, int maxRows = 1000, long window = long.MaxValue, bool tagsComeLater = false) =>
        new(asks, new(maxRows, window, tagsComeLater), _budget);
}
