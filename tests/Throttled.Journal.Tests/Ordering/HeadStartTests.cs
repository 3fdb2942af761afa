using Throttled.Journal.Ordering;
using Throttled.Journal.Sql;

namespace Throttled.Journal.Tests.Ordering;

public sealed class HeadStartTests
{
    private static readonly TimeSpan Timeout = TimeSpan.FromSeconds(10);

    [Fact]
    public void Where_nobody_was_open_it_is_settled_at_once() => Assert.True(Start([]).IsSettled);

    [Fact]
    public void It_is_settled_when_all_that_were_open_have_ended()
    {
        var start = Start(["a"]);
        Assert.False(start.IsSettled);
        start.Looked(new HashSet<string> { "a" }, Timeout * 9);
        Assert.False(start.IsSettled);
        start.Looked(new HashSet<string> { "b" }, Timeout * 9);
        Assert.True(start.IsSettled);
    }

    [Theory]
    [InlineData]
    [InlineData("a")]
    public void Where_the_evidence_was_not_tried_it_is_settled_when_the_time_has_passed_too(params string[] open)
    {
        var start = new HeadStart(new TailAnchor(null, open.ToHashSet()), TimeSpan.Zero, new(Timeout * 9) { LeastAge = Timeout });
        start.Looked(new HashSet<string>(), Timeout - TimeSpan.FromTicks(1));
        Assert.False(start.IsSettled);
        start.Looked(new HashSet<string>(), Timeout);
        Assert.True(start.IsSettled);
    }

    [Fact]
    public void Where_nobody_knows_the_time_settles_it()
    {
        var start = Start(null);
        start.Looked(null, Timeout - TimeSpan.FromTicks(1));
        Assert.False(start.IsSettled);
        start.Looked(null, Timeout);
        Assert.True(start.IsSettled);
    }

    [Fact]
    public void A_look_that_is_not_told_who_is_open_settles_nothing()
    {
        var start = Start(["a"]);
        start.Looked(null, Timeout);
        start.Looked(new HashSet<string> { "a" }, Timeout * 2);
        start.Looked(null, Timeout * 3);
        start.Looked(null, (Timeout * 4) - TimeSpan.FromTicks(1));
        Assert.False(start.IsSettled);
        start.Looked(null, Timeout * 4);
        Assert.True(start.IsSettled);
    }

    [Fact]
    public void Who_was_not_known_at_the_start_is_waited_for_once_known()
    {
        var start = Start(null);
        start.Looked(new HashSet<string> { "a" }, Timeout * 2);
        Assert.False(start.IsSettled);
        start.Looked(new HashSet<string> { "b" }, Timeout * 3);
        Assert.True(start.IsSettled);
    }

    [Fact]
    public void Where_it_gives_up_nobody_waits_longer_than_the_time_and_it_is_not_settled()
    {
        var start = Start(["a"], givesUp: true);
        start.Looked(new HashSet<string> { "a" }, Timeout - TimeSpan.FromTicks(1));
        Assert.False(start.IsGivenUp);
        start.Looked(new HashSet<string> { "a" }, Timeout);
        Assert.Equal((true, false), (start.IsGivenUp, start.IsSettled));
        start.Looked(new HashSet<string>(), Timeout);
        Assert.Equal((false, true), (start.IsGivenUp, start.IsSettled));
    }

    [Fact]
    public void Once_settled_it_stays_so()
    {
        var start = Start([]);
        start.Looked(new HashSet<string> { "a" }, TimeSpan.Zero);
        Assert.True(start.IsSettled);
    }

    private static HeadStart Start(string[]? holders, bool givesUp = false) =>
        new(new TailAnchor(null, holders?.ToHashSet()), TimeSpan.Zero, new(Timeout, givesUp));
}
