using Throttled.Journal.Ordering;
using Throttled.Journal.Rows;

namespace Throttled.Journal.Tests.Ordering;

public sealed class StartupBarrierTests
{
    private static readonly TimeSpan Timeout = TimeSpan.FromSeconds(10);

    [Fact]
    public void Without_open_transactions_it_is_settled_at_once() => Assert.True(Start([]).IsSettled);

    [Fact]
    public void It_is_settled_when_all_transactions_that_were_open_have_ended()
    {
        var barrier = Start(["a"]);
        Assert.False(barrier.IsSettled);
        barrier.Observe(new HashSet<string> { "a" }, Timeout * 9);
        Assert.False(barrier.IsSettled);
        barrier.Observe(new HashSet<string> { "b" }, Timeout * 9);
        Assert.True(barrier.IsSettled);
    }

    [Theory]
    [InlineData]
    [InlineData("a")]
    public void With_untested_evidence_it_is_settled_only_after_the_minimum_age(params string[] open)
    {
        var barrier = new StartupBarrier(new TailStart(null, open.ToHashSet()), TimeSpan.Zero, new(Timeout * 9) { LeastAge = Timeout });
        barrier.Observe(new HashSet<string>(), Timeout - TimeSpan.FromTicks(1));
        Assert.False(barrier.IsSettled);
        barrier.Observe(new HashSet<string>(), Timeout);
        Assert.True(barrier.IsSettled);
    }

    [Fact]
    public void If_open_transactions_are_unknown_the_timeout_settles_it()
    {
        var barrier = Start(null);
        barrier.Observe(null, Timeout - TimeSpan.FromTicks(1));
        Assert.False(barrier.IsSettled);
        barrier.Observe(null, Timeout);
        Assert.True(barrier.IsSettled);
    }

    [Fact]
    public void A_poll_without_known_open_transactions_settles_nothing()
    {
        var barrier = Start(["a"]);
        barrier.Observe(null, Timeout);
        barrier.Observe(new HashSet<string> { "a" }, Timeout * 2);
        barrier.Observe(null, Timeout * 3);
        barrier.Observe(null, (Timeout * 4) - TimeSpan.FromTicks(1));
        Assert.False(barrier.IsSettled);
        barrier.Observe(null, Timeout * 4);
        Assert.True(barrier.IsSettled);
    }

    [Fact]
    public void Transactions_that_become_known_after_the_start_are_waited_for()
    {
        var barrier = Start(null);
        barrier.Observe(new HashSet<string> { "a" }, Timeout * 2);
        Assert.False(barrier.IsSettled);
        barrier.Observe(new HashSet<string> { "b" }, Timeout * 3);
        Assert.True(barrier.IsSettled);
    }

    [Fact]
    public void If_it_skips_it_blocks_no_longer_than_the_timeout_and_is_not_settled()
    {
        var barrier = Start(["a"], skips: true);
        barrier.Observe(new HashSet<string> { "a" }, Timeout - TimeSpan.FromTicks(1));
        Assert.False(barrier.IsSkipped);
        barrier.Observe(new HashSet<string> { "a" }, Timeout);
        Assert.Equal((true, false), (barrier.IsSkipped, barrier.IsSettled));
        barrier.Observe(new HashSet<string>(), Timeout);
        Assert.Equal((false, true), (barrier.IsSkipped, barrier.IsSettled));
    }

    [Fact]
    public void Once_settled_it_stays_so()
    {
        var barrier = Start([]);
        barrier.Observe(new HashSet<string> { "a" }, TimeSpan.Zero);
        Assert.True(barrier.IsSettled);
    }

    private static StartupBarrier Start(string[]? open, bool skips = false) =>
        new(new TailStart(null, open?.ToHashSet()), TimeSpan.Zero, new(Timeout, skips));
}
