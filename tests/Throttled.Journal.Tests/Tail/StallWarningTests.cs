namespace Throttled.Journal.Tests.Tail;

public sealed class StallWarningTests
{
    private const int Stalled = 15;
    private const int GaveUp = 17;
    private const int StartStalled = 21;
    private const int MovesAgain = 22;

    [Fact]
    public void An_ordering_that_is_missing_long_is_logged_once_with_its_transaction()
    {
        using var world = new World();
        world.OpenAll();
        world.Advance(TimeSpan.FromSeconds(1));
        world.Journal.Begin("slow/7").Add("p", 1);
        world.Journal.Append("q", 1, 1);
        world.Advance(TimeSpan.FromSeconds(4));
        Assert.Equal(0, world.Log.CountOf(Stalled));
        world.Advance(TimeSpan.FromSeconds(2));
        Assert.Contains("slow/7", Assert.Single(world.Log.TextsOf(Stalled)), StringComparison.Ordinal);
        Assert.StartsWith("Ordering 1 is missing for 5 s (gaps: 1)", world.Log.TextsOf(Stalled)[0], StringComparison.Ordinal);
        world.Advance(TimeSpan.FromMinutes(10));
        Assert.Equal(1, world.Log.CountOf(Stalled));
    }

    [Fact]
    public void The_warning_has_the_whole_range_and_the_end_of_the_stall_is_logged()
    {
        using var world = new World();
        world.OpenAll();
        world.Advance(TimeSpan.FromSeconds(1));
        var slow = world.Journal.Begin();
        slow.Add("p", 1);
        slow.Add("p", 2);
        slow.Add("p", 3);
        world.Journal.Append("q", 1, 1);
        world.Advance(TimeSpan.FromSeconds(10));
        var text = Assert.Single(world.Log.TextsOf(Stalled));
        Assert.StartsWith("Orderings 1 to 3 are missing", text, StringComparison.Ordinal);
        Assert.EndsWith("See docs/operating/runbook.md, 'When the high-water mark is stalled'.", text, StringComparison.Ordinal);
        Assert.Equal(0, world.Log.CountOf(MovesAgain));
        slow.Commit();
        world.Journal.LetGo(slow);
        world.Advance(TimeSpan.FromSeconds(2));
        Assert.Matches(@"^The high-water mark moves again after 1\d s\.$", Assert.Single(world.Log.TextsOf(MovesAgain)));
    }

    [Fact]
    public void The_departure_of_all_readers_does_not_count_as_the_end_of_a_stall()
    {
        using var world = new World();
        var reader = world.OpenAll();
        world.Advance(TimeSpan.FromSeconds(1));
        world.Journal.Begin().Add("p", 1);
        world.Journal.Append("q", 1, 1);
        world.Advance(TimeSpan.FromSeconds(10));
        reader.Dispose();
        world.Advance(TimeSpan.FromSeconds(10));
        world.OpenAll();
        world.Advance(TimeSpan.FromSeconds(3));
        Assert.Equal((1, 0), (world.Log.CountOf(Stalled), world.Log.CountOf(MovesAgain)));
    }

    [Fact]
    public void A_transaction_that_was_open_at_the_first_poll_is_logged_too()
    {
        using var world = new World();
        world.Journal.Begin("slow/7").Add("p", 1);
        world.OpenAll();
        world.Advance(TimeSpan.FromSeconds(10));
        Assert.Contains("slow/7", Assert.Single(world.Log.TextsOf(StartStalled)), StringComparison.Ordinal);
    }

    [Fact]
    public void If_open_transactions_are_unknown_the_warning_says_so()
    {
        using var world = new World(options => options with { GapTimeout = TimeSpan.FromSeconds(30) });
        world.Database.KnowsOpenTransactions = false;
        world.OpenAll();
        world.Advance(TimeSpan.FromSeconds(31));
        world.Journal.Begin().Add("p", 1);
        world.Journal.Append("q", 1, 1);
        world.Advance(TimeSpan.FromSeconds(10));
        Assert.Contains("does not show which", Assert.Single(world.Log.TextsOf(Stalled)), StringComparison.Ordinal);
    }

    [Fact]
    public void If_open_transactions_are_unknown_the_start_ends_by_timeout_and_is_not_logged()
    {
        using var world = new World(options => options with { GapTimeout = TimeSpan.FromSeconds(30) });
        world.Database.KnowsOpenTransactions = false;
        world.Journal.Begin().Add("p", 1);
        var reader = world.OpenAll();
        world.Journal.Append("q", 1, 1);
        world.Advance(TimeSpan.FromSeconds(29));
        Assert.Empty(reader.Events);
        world.Advance(TimeSpan.FromSeconds(2));
        Assert.Equal([2], reader.Orderings);
        Assert.Equal((0, 0), (world.Log.CountOf(StartStalled), world.Log.CountOf(MovesAgain)));
    }

    [Fact]
    public void The_next_stall_is_logged_again()
    {
        using var world = new World();
        world.OpenAll();
        world.Advance(TimeSpan.FromSeconds(1));
        for (var i = 1; i <= 2; i++)
        {
            var transaction = world.Journal.Begin();
            transaction.Add("p", i);
            world.Journal.Append("q", i, i);
            world.Advance(TimeSpan.FromSeconds(10));
            transaction.Commit();
            world.Journal.LetGo(transaction);
            world.Advance(TimeSpan.FromSeconds(2));
        }
        Assert.Equal(2, world.Log.CountOf(Stalled));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void A_query_by_id_also_gets_events_of_a_skipped_gap(bool isOpenAtStart)
    {
        using var world = new World(options => options with { OnGapTimeout = GapTimeoutAction.Skip });
        var late = isOpenAtStart ? world.Journal.Begin() : null;
        late?.Add("late", 1);
        var (all, byId, ids) = (world.OpenAll(), world.Open("late"), world.OpenIds());
        world.Advance(TimeSpan.FromSeconds(1));
        late ??= world.Journal.Begin();
        if (!isOpenAtStart)
            late.Add("late", 1);
        world.Journal.Append("q", 1, 1);
        world.Advance(TimeSpan.FromSeconds(25));
        Assert.Equal([2], all.Orderings);
        late.Commit();
        world.Journal.LetGo(late);
        world.Advance(TimeSpan.FromSeconds(1));
        Assert.Equal([1], byId.Orderings);
        Assert.Equal(["q", "late"], ids.Items);
        Assert.Equal([2], all.Orderings);
    }

    [Fact]
    public void A_skipped_gap_is_logged_once()
    {
        using var world = new World(options => options with { OnGapTimeout = GapTimeoutAction.Skip });
        var reader = world.OpenAll();
        world.Advance(TimeSpan.FromSeconds(1));
        world.Journal.Begin().Add("p", 1);
        world.Journal.Append("q", 1, 1);
        world.Advance(TimeSpan.FromSeconds(9));
        Assert.Empty(reader.Events);
        world.Advance(TimeSpan.FromSeconds(2));
        Assert.Equal([2], reader.Orderings);
        world.Advance(TimeSpan.FromSeconds(20));
        Assert.Contains("1 to 1 were skipped", Assert.Single(world.Log.TextsOf(GaveUp)), StringComparison.Ordinal);
    }
}
