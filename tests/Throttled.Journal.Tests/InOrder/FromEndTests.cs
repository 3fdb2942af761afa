using Throttled.Journal.Database;
using Throttled.Journal.Queries;
using Throttled.Journal.Rows;

namespace Throttled.Journal.Tests.InOrder;

/// <summary>A query that begins with the n-th last event.</summary>
public sealed class FromEndTests
{
    public static TheoryData<Kind, TagMode, bool> Queries
    {
        get
        {
            var queries = new TheoryData<Kind, TagMode, bool>();
            foreach (var (kind, tags) in ((Kind, TagMode)[])[(Kind.All, TagMode.TagTable), (Kind.Tag, TagMode.TagTable), (Kind.Tag, TagMode.Csv), (Kind.Slice, TagMode.TagTable)])
            {
                queries.Add(kind, tags, false);
                queries.Add(kind, tags, true);
            }
            return queries;
        }
    }

    [Theory]
    [MemberData(nameof(Queries))]
    public void It_returns_the_last_events_in_journal_order(Kind kind, TagMode tags, bool isLive)
    {
        using var world = In(tags);
        world.Append(1, 5);
        var reader = FromEnd(world, kind, 2, isLive);
        world.Advance(TimeSpan.FromSeconds(1));
        Assert.Equal([4, 5], reader.Orderings);
        Assert.Equal(!isLive, reader.IsCompleted);

        world.Append(6, 7);
        world.Advance(TimeSpan.FromSeconds(1));
        Assert.Equal(isLive ? [4, 5, 6, 7] : [4, 5], reader.Orderings);
    }

    [Theory]
    [MemberData(nameof(Queries))]
    public void It_returns_all_if_there_are_fewer(Kind kind, TagMode tags, bool isLive)
    {
        using var world = In(tags);
        world.Append(1, 3);
        var reader = FromEnd(world, kind, 100, isLive);
        var nothing = FromEnd(world, Kind.Tag, 1, isLive, tag: "nobody's");
        world.Advance(TimeSpan.FromSeconds(1));
        Assert.Equal([1, 2, 3], reader.Orderings);
        Assert.Empty(nothing.Events);
        Assert.Equal((!isLive, !isLive), (reader.IsCompleted, nothing.IsCompleted));
    }

    [Theory]
    [InlineData(Kind.Tag, TagMode.TagTable)]
    [InlineData(Kind.Tag, TagMode.Csv)]
    [InlineData(Kind.Slice, TagMode.TagTable)]
    public void Events_that_do_not_match_do_not_count(Kind kind, TagMode tags)
    {
        using var world = In(tags);
        world.Append(1, 3);
        world.Journal.Append("q", 1, 50, 10, "blue", "RED");
        world.Append(4, 4);
        world.Journal.Append("q", 51, 99, 10, "RED");
        var reader = FromEnd(world, kind, 2, isLive: false);
        world.Advance(TimeSpan.FromSeconds(1));
        Assert.Equal([3, 54], reader.Orderings);
    }

    [Fact]
    public void A_deleted_event_does_not_count()
    {
        using var world = new World();
        world.Journal.Append("p", 1, 2);
        world.Journal.Append("q", 1, 5);
        world.Journal.MarkDeleted("q", 4);
        var reader = FromEnd(world, Kind.All, 2, isLive: false);
        world.Advance(TimeSpan.FromSeconds(1));
        Assert.Equal([2, 7], reader.Orderings);
    }

    [Theory]
    [InlineData(Kind.All, TagMode.TagTable)]
    [InlineData(Kind.Tag, TagMode.Csv)]
    [InlineData(Kind.Slice, TagMode.TagTable)]
    public void No_statement_reads_more_rows_than_allowed(Kind kind, TagMode tags)
    {
        using var world = In(tags, options => options with { MaxRowsPerStatement = 10 });
        world.Append(1, 3);
        world.Journal.Append("q", 1, 30);
        world.Append(4, 4);
        var reader = FromEnd(world, kind, kind == Kind.All ? 32 : 2, isLive: false);
        world.Advance(TimeSpan.FromSeconds(1));
        Assert.Equal([3, 34], reader.Orderings.Where(ordering => ordering is < 4 or > 33));
        Assert.Equal(4, world.Statements(CallKind.FromEnd));
    }

    [Fact]
    public void A_statement_that_timed_out_is_retried_with_fewer_rows()
    {
        using var world = new World(options => options with { MaxBufferSize = 8, MaxRowsPerStatement = 8 });
        world.Append(1, 20);
        var left = 2;
        world.Database.Fault = call => call.Kind == CallKind.FromEnd && left-- > 0 ? new ScriptedFault(FaultKind.TimedOut) : null;
        var reader = FromEnd(world, Kind.All, 7, isLive: false);
        world.Advance(TimeSpan.FromSeconds(10));
        Assert.Equal(Enumerable.Range(14, 7).Select(each => (long)each), reader.Orderings);
    }

    [Fact]
    public void Equal_queries_share_a_statement()
    {
        using var world = new World();
        world.Append(1, 9);
        PolledReader[] same = [.. Enumerable.Range(0, 50).Select(_ => FromEnd(world, Kind.All, 3, isLive: true))];
        var other = FromEnd(world, Kind.All, 4, isLive: true);
        var all = world.OpenAll();
        world.Advance(TimeSpan.FromSeconds(1));
        Assert.All(same, reader => Assert.Equal([7, 8, 9], reader.Orderings));
        Assert.Equal([6, 7, 8, 9], other.Orderings);
        Assert.Equal(9, all.Events.Count);
        Assert.Equal(2, world.Statements(CallKind.FromEnd));
    }

    [Fact]
    public void Events_written_during_its_search_are_returned_too()
    {
        using var world = new World { IsHeld = call => call.Kind is CallKind.Anchor or CallKind.Ordered };
        world.Append(1, 5);
        var reader = FromEnd(world, Kind.All, 1, isLive: false);
        world.Settle();
        world.Append(6, 7);
        world.IsHeld = _ => false;
        world.Advance(TimeSpan.FromSeconds(1));
        Assert.Equal([5, 6, 7], reader.Orderings);
        Assert.True(reader.IsCompleted);
    }

    [Theory]
    [InlineData(Kind.All)]
    [InlineData(Kind.Tag)]
    [InlineData(Kind.Slice)]
    public void An_end_that_other_queries_have_not_reached_yet_is_no_rewind(Kind kind)
    {
        using var world = new World();
        world.Append(1, 3);
        var all = world.OpenAll();
        world.Advance(TimeSpan.FromSeconds(1));
        world.Append(4, 9);
        var reader = FromEnd(world, kind, 1, isLive: true);
        world.Settle();
        world.Advance(TimeSpan.FromSeconds(1));
        Assert.Equal((9, 9), (all.Orderings.Last(), Assert.Single(reader.Orderings)));
        Assert.DoesNotContain(19, world.Log.Ids);
    }

    [Fact]
    public void It_waits_for_transactions_that_may_commit_among_the_last_events()
    {
        using var world = new World();
        world.Append(1, 3);
        var late = world.BeginOne(4);
        world.Append(5, 6);
        var reader = FromEnd(world, Kind.All, 3, isLive: false);
        world.Advance(TimeSpan.FromSeconds(1));
        Assert.Equal([3], reader.Orderings);
        world.Commit(late);
        world.Advance(TimeSpan.FromSeconds(1));
        Assert.Equal([3, 4, 5, 6], reader.Orderings);
        Assert.True(reader.IsCompleted);
    }

    [Fact]
    public void Each_run_searches_again_and_an_abandoned_search_leaves_nothing()
    {
        using var world = new World();
        world.Append(1, 3);
        var query = world.Engine.Events(new OrderedQuery(EventFilter.All, 0, IsLive: true)).FromEnd(1);
        using var first = new PolledReader<JournalEvent>(query);
        world.Settle();
        _ = first.Step();
        world.Advance(TimeSpan.FromSeconds(1));
        _ = first.Step();
        Assert.Equal([3], first.Items.Select(each => each.Ordering));

        world.IsHeld = call => call.Kind == CallKind.FromEnd;
        using (var left = new PolledReader<JournalEvent>(query))
        {
            _ = left.Step();
            world.Settle();
        }
        world.Settle();
        Assert.Empty(world.Database.Pending);
        Assert.Equal((0, 0), (world.Permits.Held, world.Engine.Slots()));

        world.IsHeld = _ => false;
        world.Append(4, 4);
        using var second = new PolledReader<JournalEvent>(query);
        _ = second.Step();
        world.Advance(TimeSpan.FromSeconds(1));
        _ = second.Step();
        Assert.Equal([4], second.Items.Select(each => each.Ordering));
    }

    private static World In(TagMode tags, Func<JournalOptions, JournalOptions>? change = null) => new(options =>
        (change?.Invoke(options) ?? options) with { Tables = options.Tables with { TagMode = tags } });

    private static PolledReader FromEnd(World world, Kind kind, int count, bool isLive, string tag = Kinds.Tag)
    {
        var slice = JournalSlices.Of(Kinds.Id);
        var filter = kind switch
        {
            Kind.All => EventFilter.All,
            Kind.Tag => new EventFilter { Tag = tag },
            _ => new EventFilter { Slices = new(slice, slice) },
        };
        return world.Open(new(filter, After: 0, isLive) { FromEnd = count });
    }
}
