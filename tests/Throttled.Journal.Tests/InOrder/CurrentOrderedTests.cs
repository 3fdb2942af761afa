using Throttled.Journal.Database;

namespace Throttled.Journal.Tests.InOrder;

public sealed class CurrentOrderedTests
{
    [Theory]
    [InlineData(Kind.All)]
    [InlineData(Kind.Tag)]
    [InlineData(Kind.Slice)]
    public void It_gives_what_is_there_and_completes(Kind kind)
    {
        using var world = new World(options => options with { MaxBufferSize = 2 });
        world.Append(1, 5);
        var reader = world.Open(kind, after: 1, isLive: false);
        world.Advance(TimeSpan.FromSeconds(1));
        Assert.Equal([2, 3, 4, 5], reader.Orderings);
        Assert.True(reader.IsCompleted);
    }

    [Theory]
    [InlineData(Kind.All, 0, 0)]
    [InlineData(Kind.Tag, 0, 0)]
    [InlineData(Kind.Slice, 0, 0)]
    [InlineData(Kind.All, 3, 3)]
    [InlineData(Kind.All, 3, 1000)]
    [InlineData(Kind.Tag, 3, 3)]
    [InlineData(Kind.Tag, 3, 1000)]
    public void It_completes_if_no_event_matches(Kind kind, int events, long after)
    {
        using var world = new World();
        world.Append(1, events);
        var reader = world.Open(kind, after, isLive: false);
        world.Advance(TimeSpan.FromSeconds(1));
        Assert.Empty(reader.Events);
        Assert.True(reader.IsCompleted);
    }

    [Theory]
    [InlineData(TagMode.TagTable)]
    [InlineData(TagMode.Csv)]
    public void It_completes_if_no_event_has_the_tag(TagMode mode)
    {
        using var world = In(mode);
        world.Append(1, 3);
        var reader = world.OpenTag("blue", isLive: false);
        world.Advance(TimeSpan.FromSeconds(1));
        Assert.Empty(reader.Events);
        Assert.True(reader.IsCompleted);
    }

    [Theory]
    [InlineData(TagMode.TagTable)]
    [InlineData(TagMode.Csv)]
    public void Tags_are_case_sensitive(TagMode mode)
    {
        using var world = In(mode);
        world.Journal.Append("a", 1, 1, 10, "RED");
        world.Journal.Append("b", 1, 1, 10, "blue", "red");
        var reader = world.OpenTag("red", isLive: false);
        world.Advance(TimeSpan.FromSeconds(1));
        Assert.Equal([2], reader.Orderings);
        Assert.Equal(["blue", "red"], reader.Events[0].Tags);
    }

    [Fact]
    public void Tags_in_a_column_are_read_window_by_window()
    {
        using var world = In(TagMode.Csv, options => options with { MaxRowsPerStatement = 200_000 });
        world.Append(1, 1);
        world.Journal.Append("q", 1, 120_000);
        world.Append(2, 2);
        var reader = world.OpenTag(Kinds.Tag, isLive: false);
        world.Advance(TimeSpan.FromSeconds(1));
        Assert.Equal([1, 120_002], reader.Orderings);
        Assert.Equal([50_000, 100_000, 120_002], world.Database.Of(CallKind.Ordered).Select(call => call.Ordered!.UpTo));
    }

    [Fact]
    public void Deleted_rows_are_left_out()
    {
        using var world = new World(options => options with { MaxBufferSize = 2 });
        world.Append(1, 6);
        world.Journal.MarkDeleted(Kinds.Id, 3);
        world.Journal.Append("q", 1, 1, 10, Kinds.Tag);
        world.Journal.Remove("q", 1);
        List<PolledReader> readers = [world.OpenAll(isLive: false), world.OpenTag(Kinds.Tag, isLive: false), world.OpenSlice(Kinds.Id, isLive: false)];
        world.Advance(TimeSpan.FromSeconds(1));
        Assert.All(readers, reader => Assert.Equal([4, 5, 6], reader.Orderings));
        Assert.All(readers, reader => Assert.True(reader.IsCompleted));
    }

    [Fact]
    public void Events_that_commit_during_a_poll_before_the_query_opens_are_delivered()
    {
        using var world = new World();
        world.Open("x");
        world.Advance(TimeSpan.FromSeconds(1));
        world.IsHeld = call => call.Kind == CallKind.Keys;
        world.Advance(TimeSpan.FromMilliseconds(200));
        var poll = world.Database.Pending.Single();
        world.Database.Step(poll);
        world.Append(1, 3);
        var reader = world.OpenAll(isLive: false);
        world.Settle();
        world.IsHeld = _ => false;
        world.Advance(TimeSpan.FromMilliseconds(50));
        Assert.Equal([1, 2, 3], reader.Orderings);
        Assert.True(reader.IsCompleted);
    }

    [Fact]
    public void The_first_poll_finds_the_journal_end()
    {
        using var world = new World();
        world.Append(1, 3);
        var reader = world.OpenAll(isLive: false);
        world.Advance(TimeSpan.FromMilliseconds(20));
        Assert.True(reader.IsCompleted);
        Assert.Equal((0, 1), (world.Statements(CallKind.Keys), world.Statements(CallKind.Anchor)));
    }

    [Fact]
    public void It_completes_while_others_write()
    {
        using var world = new World(options => options with { MaxBufferSize = 1 });
        world.Append(1, 50);
        var reader = world.OpenAll(isLive: false);
        world.IsHeld = call => call.IsPages;
        for (var i = 51; i < 5000 && !reader.IsCompleted; i++)
        {
            world.Append(i, i);
            world.Advance(TimeSpan.FromMilliseconds(20));
            foreach (var call in world.Database.Pending.Where(call => call.IsPages).ToList())
            {
                while (!call.HasEnded)
                    world.Database.Step(call);
            }
            world.Settle();
        }
        Assert.True(reader.IsCompleted);
        Assert.InRange(reader.Events.Count, 50, 60);
    }

    [Fact]
    public void A_discarded_page_does_not_move_its_end()
    {
        using var world = new World(options => options with { MaxBufferedBytes = 900 });
        world.Append(1, 3);
        var reader = world.OpenAll(isLive: false);
        reader.IsEager = false;
        reader.Step();
        world.Advance(TimeSpan.FromMilliseconds(20));
        reader.Step();
        Assert.Single(reader.Events);
        world.Append(4, 6);
        world.Engine.Budget().Reserve(1000);
        world.OpenCurrent("x");
        world.Advance(TimeSpan.FromSeconds(3));
        world.Engine.Budget().Release(1000);
        reader.IsEager = true;
        world.Advance(TimeSpan.FromSeconds(1));
        Assert.Equal([1, 2, 3], reader.Orderings);
        Assert.True(reader.IsCompleted);
    }

    [Fact]
    public void During_an_outage_it_fails_after_its_timeout()
    {
        using var world = new World(options => options with { CurrentQueryTimeout = TimeSpan.FromSeconds(10) });
        world.Database.Fault = _ => new ScriptedFault(FaultKind.ConnectionLost);
        var (current, live) = (world.OpenAll(isLive: false), world.OpenAll());
        world.Advance(TimeSpan.FromSeconds(9));
        Assert.Null(current.Failure);
        world.Advance(TimeSpan.FromSeconds(4));
        Assert.IsType<JournalException>(current.Failure);
        Assert.Null(live.Failure);
    }

    [Fact]
    public void If_reading_in_order_is_refused_only_ordered_queries_fail()
    {
        using var world = new World();
        world.Database.OrderRefusal = "The sequence keeps numbers back.";
        world.Append(1, 1);
        List<PolledReader> refused = [world.OpenAll(), world.OpenTag("x"), world.OpenSlice("x"), world.OpenAll(isLive: false)];
        var (byId, ids) = (world.Open(Kinds.Id), world.OpenIds());
        world.Advance(TimeSpan.FromSeconds(1));
        refused.Add(world.OpenAll(isLive: false));
        world.Advance(TimeSpan.FromSeconds(1));
        Assert.All(refused, reader => Assert.Equal("The sequence keeps numbers back.", Assert.IsType<JournalException>(reader.Failure).Message));
        Assert.NotSame(refused[0].Failure, refused[1].Failure);
        Assert.Equal([1], byId.Orderings);
        Assert.Equal([Kinds.Id], ids.Items);
        world.Append(2, 2);
        world.Advance(TimeSpan.FromSeconds(1));
        Assert.Equal([1, 2], byId.Orderings);
    }

    [Fact]
    public void The_slow_tag_warning_is_logged_once_for_tag_queries()
    {
        using var world = new World();
        world.Database.TagWarning = "There is no index.";
        world.OpenAll();
        world.Advance(TimeSpan.FromSeconds(1));
        Assert.Equal(0, world.Log.CountOf(20));
        world.OpenTag("x");
        world.OpenTag("y");
        world.Advance(TimeSpan.FromSeconds(1));
        Assert.Equal(1, world.Log.CountOf(20));
    }

    private static World In(TagMode mode, Func<JournalOptions, JournalOptions>? change = null) => new(options =>
        (change?.Invoke(options) ?? options) with { Tables = options.Tables with { TagMode = mode } });
}
