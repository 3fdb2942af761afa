using Throttled.Journal.Pages;
using Throttled.Journal.Sql;

namespace Throttled.Journal.Tests.Sql;

public sealed class IdsStatementTests
{
    private readonly ByteBudget _budget = new(1000);

    [Fact]
    public void Ids_below_the_limit_are_the_last()
    {
        var read = Read(new("a", 5, _budget), "b", "c");
        Assert.Equal((2, "c", false), (read.Page!.Count, read.Last, read.MoreMayFollow));
        Assert.Equal(_budget.Used, read.Page.Bytes);
    }

    [Fact]
    public void Ids_at_the_limit_may_not_be_the_last() => Assert.True(Read(new(null, 2, _budget), "b", "c").MoreMayFollow);

    [Fact]
    public void Ids_at_the_bound_of_bytes_may_not_be_the_last() =>
        Assert.True(Read(new(null, 5, new(40)), "abcde").MoreMayFollow);

    [Fact]
    public void Ids_without_events_are_looked_at_and_left_out()
    {
        var statement = new IdsStatement(null, 5, _budget);
        statement.Add("a", hasEvents: false);
        statement.Complete();
        Assert.Equal(new(null, "a", false), statement.Read);
        Assert.Equal(0, _budget.Used);
    }

    [Fact]
    public void An_id_beside_another_comes_with_it_and_counts_towards_the_bytes_alone()
    {
        var statement = new IdsStatement(null, 1, _budget);
        statement.AddBeside("A");
        Assert.False(statement.Add("a", hasEvents: true));
        statement.Complete();
        Assert.Equal((2, "a", true), (statement.Read.Page!.Count, statement.Read.Last, statement.Read.MoreMayFollow));
        Assert.Equal(_budget.Used, statement.Read.Page.Bytes);
    }

    [Fact]
    public void Where_there_are_none_the_place_is_kept() => Assert.Equal(new(null, "z", false), Read(new("z", 5, _budget)));

    [Fact]
    public void Discarded_or_dropped_the_bytes_go_back()
    {
        var discarded = new IdsStatement(null, 50, _budget);
        discarded.Add("abcde", hasEvents: true);
        discarded.Discard();
        var dropped = new IdsStatement(null, 50, _budget);
        Read(dropped, "a", "b");
        dropped.Drop();
        Assert.Equal(0, _budget.Used);
    }

    private static IdsRead Read(IdsStatement statement, params string[] ids)
    {
        foreach (var id in ids)
            statement.Add(id, hasEvents: true);
        statement.Complete();
        return statement.Read;
    }
}
