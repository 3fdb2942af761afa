using Throttled.Journal.Ordering;

namespace Throttled.Journal.Tests.Ordering;

public sealed class OpenTransactionsTests
{
    [Fact]
    public void All_transactions_have_to_end() =>
        Assert.Equal([false, false, true], Polls(Open("a", "b"), ["a", "b"], ["b"], []));

    [Fact]
    public void Later_transactions_do_not_count() => Assert.Equal([true], Polls(Open("a"), ["c"]));

    [Fact]
    public void A_transaction_that_ended_does_not_come_back() => Assert.Equal([false, true], Polls(Open("a", "b"), ["b"], ["a"]));

    [Fact]
    public void A_transaction_that_vanished_may_be_any_prepared_one() =>
        Assert.Equal([false, false, true], Polls(Open("3/1"), ["-1/7"], ["-1/7"], []));

    [Fact]
    public void A_prepared_transaction_counts_only_if_another_vanished() =>
        Assert.Equal([false, true], Polls(Open("3/1"), ["3/1", "-1/7"], []));

    private static OpenTransactions Open(params string[] names) => new(names.ToHashSet());

    private static List<bool> Polls(OpenTransactions open, params string[][] polls) =>
        [.. polls.Select(poll => open.EndedBy(poll.ToHashSet()))];
}
