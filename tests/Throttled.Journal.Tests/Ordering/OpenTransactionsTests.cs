using Throttled.Journal.Ordering;

namespace Throttled.Journal.Tests.Ordering;

public sealed class OpenTransactionsTests
{
    [Fact]
    public void All_must_end() =>
        Assert.Equal([false, false, true], Looks(Open("a", "b"), ["a", "b"], ["b"], []));

    [Fact]
    public void Who_came_later_does_not_count() => Assert.Equal([true], Looks(Open("a"), ["c"]));

    [Fact]
    public void One_that_ended_does_not_come_back() => Assert.Equal([false, true], Looks(Open("a", "b"), ["b"], ["a"]));

    [Fact]
    public void One_that_vanished_may_be_any_prepared_one() =>
        Assert.Equal([false, false, true], Looks(Open("3/1"), ["-1/7"], ["-1/7"], []));

    [Fact]
    public void A_prepared_one_counts_only_where_one_vanished() =>
        Assert.Equal([false, true], Looks(Open("3/1"), ["3/1", "-1/7"], []));

    private static OpenTransactions Open(params string[] holders) => new(holders.ToHashSet());

    private static List<bool> Looks(OpenTransactions holders, params string[][] looks) =>
        [.. looks.Select(look => holders.EndedBy(look.ToHashSet()))];
}
