using Throttled.Journal.Rows;
using Throttled.Journal.Tail;

namespace Throttled.Journal.Tests.Tail;

public sealed class ReorderBufferTests
{
    private const int RowBytes = 138;

    private readonly ByteBudget _budget = new(1_000 * RowBytes);

    [Fact]
    public void Rows_leave_in_order_however_they_arrive()
    {
        var held = Hold(5, 9, 7, 6, 8, 2);
        Assert.Equal([2, 5, 6, 7], held.TakeUpTo(7).Select(row => row.Ordering));
        Assert.Equal([8, 9], held.TakeUpTo(long.MaxValue - 1).Select(row => row.Ordering));
        Assert.Equal(0, held.Count);
    }

    [Fact]
    public void Rows_above_the_high_water_mark_stay()
    {
        var held = Hold(5, 6);
        Assert.Empty(held.TakeUpTo(4));
        Assert.Equal(2, held.Count);
    }

    [Fact]
    public void Its_bytes_count_while_it_keeps_them()
    {
        var held = Hold(5, 6, 7);
        Assert.Equal(3 * RowBytes, _budget.Used);
        held.TakeUpTo(5);
        Assert.Equal(2 * RowBytes, _budget.Used);
        held.Clear();
        Assert.Equal(0, _budget.Used);
    }

    [Fact]
    public void It_keeps_at_most_a_quarter_of_the_bytes_of_the_journal()
    {
        var held = new ReorderBuffer(_budget);
        Assert.Equal(250, Enumerable.Range(1, 300).Count(i => held.Add(Row(i))));
        Assert.Equal(250 * RowBytes, _budget.Used);
    }

    [Fact]
    public void It_keeps_at_most_16_MB()
    {
        var held = new ReorderBuffer(new(long.MaxValue));
        var megabyte = Enumerable.Range(1, 20).Count(i => held.Add(Row(i, payload: (1024 * 1024) - 128)));
        Assert.Equal(16, megabyte);
    }

    [Fact]
    public void It_keeps_at_most_10_000_rows()
    {
        var held = new ReorderBuffer(new(long.MaxValue));
        Assert.Equal(10_000, Enumerable.Range(1, 10_100).Count(i => held.Add(Row(i))));
    }

    [Fact]
    public void When_the_bytes_of_the_journal_run_out_it_takes_nothing()
    {
        _budget.Reserve(1_000 * RowBytes);
        Assert.False(new ReorderBuffer(_budget).Add(Row(1)));
    }

    private static JournalEvent Row(long ordering, int payload = 10) =>
        new() { Ordering = ordering, PersistenceId = "p", SequenceNumber = ordering, Payload = new byte[payload] };

    private ReorderBuffer Hold(params long[] orderings)
    {
        var held = new ReorderBuffer(_budget);
        Assert.All(orderings, ordering => Assert.True(held.Add(Row(ordering))));
        return held;
    }
}
