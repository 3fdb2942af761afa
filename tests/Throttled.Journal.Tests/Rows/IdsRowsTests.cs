using Throttled.Journal.Rows;

namespace Throttled.Journal.Tests.Rows;

public sealed class IdsRowsTests
{
    private readonly ByteBudget _budget = new(1000);

    [Fact]
    public void Ids_below_the_limit_are_the_last()
    {
        var result = Read(new("a", 5, _budget), "b", "c");
        Assert.Equal((2, "c", false), (result.Page!.Count, result.Last, result.MayHaveMore));
        Assert.Equal(_budget.Used, result.Page.Bytes);
    }

    [Fact]
    public void Ids_at_the_limit_may_not_be_the_last() => Assert.True(Read(new(null, 2, _budget), "b", "c").MayHaveMore);

    [Fact]
    public void Ids_at_the_byte_limit_may_not_be_the_last() =>
        Assert.True(Read(new(null, 5, new(40)), "abcde").MayHaveMore);

    [Fact]
    public void Ids_without_events_are_read_and_left_out()
    {
        var rows = new IdsRows(null, 5, _budget);
        rows.Add("a", hasEvents: false);
        rows.Complete();
        Assert.Equal(new(null, "a", false), rows.Result);
        Assert.Equal(0, _budget.Used);
    }

    [Fact]
    public void An_accompanying_id_counts_only_towards_the_bytes()
    {
        var rows = new IdsRows(null, 1, _budget);
        rows.AddEquivalent("A");
        Assert.False(rows.Add("a", hasEvents: true));
        rows.Complete();
        Assert.Equal((2, "a", true), (rows.Result.Page!.Count, rows.Result.Last, rows.Result.MayHaveMore));
        Assert.Equal(_budget.Used, rows.Result.Page.Bytes);
    }

    [Fact]
    public void Without_ids_the_position_is_kept() => Assert.Equal(new(null, "z", false), Read(new("z", 5, _budget)));

    [Fact]
    public void Bytes_of_discarded_and_dropped_ids_are_returned()
    {
        var discarded = new IdsRows(null, 50, _budget);
        discarded.Add("abcde", hasEvents: true);
        discarded.Discard();
        var dropped = new IdsRows(null, 50, _budget);
        Read(dropped, "a", "b");
        dropped.Drop(0);
        Assert.Equal(0, _budget.Used);
    }

    private static IdsResult Read(IdsRows rows, params string[] ids)
    {
        foreach (var id in ids)
            rows.Add(id, hasEvents: true);
        rows.Complete();
        return rows.Result;
    }
}
