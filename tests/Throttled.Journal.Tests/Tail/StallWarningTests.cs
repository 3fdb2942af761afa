using Throttled.Testing.Scripted;

namespace Throttled.Journal.Tests.Tail;

public sealed class StallWarningTests
{
    private const int Stalled = 15;
    private const int GaveUp = 17;
    private const int StartStalled = 21;
    private const int MovesAgain = 22;

    [Fact]
    public void An_ordering_that_is_missing_long_is_said_once_with_who_keeps_it()
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
        Assert.StartsWith("Ordering 1 is missing, for 5 s by now (gaps in all: 1)", world.Log.TextsOf(Stalled)[0], StringComparison.Ordinal);
        world.Advance(TimeSpan.FromMinutes(10));
        Assert.Equal(1, world.Log.CountOf(Stalled));
    }

    [Fact]
    public void It_is_said_with_its_whole_range_and_again_when_the_head_moves()
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
    public void That_all_readers_left_is_no_move_of_the_head()
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
    public void What_was_open_at_the_first_look_is_said_too()
    {
        using var world = new World();
        world.Journal.Begin("slow/7").Add("p", 1);
        world.OpenAll();
        world.Advance(TimeSpan.FromSeconds(10));
        Assert.Contains("slow/7", Assert.Single(world.Log.TextsOf(StartStalled)), StringComparison.Ordinal);
    }

    [Fact]
    public void Where_the_database_does_not_tell_by_whom_it_says_that()
    {
        using var world = new World(options => options with { GapTimeout = TimeSpan.FromSeconds(30) });
        world.Database.KnowsHolders = false;
        world.OpenAll();
        world.Advance(TimeSpan.FromSeconds(31));
        world.Journal.Begin().Add("p", 1);
        world.Journal.Append("q", 1, 1);
        world.Advance(TimeSpan.FromSeconds(10));
        Assert.Contains("does not show whose", Assert.Single(world.Log.TextsOf(Stalled)), StringComparison.Ordinal);
    }

    [Fact]
    public void A_start_of_which_the_database_does_not_tell_ends_by_the_clock_and_is_no_news()
    {
        using var world = new World(options => options with { GapTimeout = TimeSpan.FromSeconds(30) });
        world.Database.KnowsHolders = false;
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
    public void The_next_that_stalls_is_said_again()
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
    public void Who_follows_an_id_gets_also_what_others_gave_up(bool isOpenAtStart)
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
    public void A_gap_that_is_given_up_is_said_once()
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
