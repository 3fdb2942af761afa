namespace Throttled.Journal.Tests.InOrder;

/// <summary>Databases that reuse the orderings of deleted newest rows.</summary>
public sealed class ReusedOrderingsTests
{
    private const int Reused = 14;

    [Theory]
    [InlineData(Kind.All)]
    [InlineData(Kind.Tag)]
    [InlineData(Kind.Slice)]
    public void Rows_that_reuse_orderings_are_delivered(Kind kind)
    {
        using var world = new World(reusesOrderings: true);
        world.Append(1, 2);
        world.Journal.Append("q", 1, 3, 10, Kinds.Tag);
        var reader = world.Open(kind);
        world.Advance(TimeSpan.FromSeconds(1));
        world.Journal.Remove("q", 3);
        world.Append(3, 5);
        Assert.Equal(5, world.Journal.LastDrawn);
        world.Advance(TimeSpan.FromSeconds(1));
        Assert.Equal([1, 2, 3, 4, 5], reader.Events.Where(row => row.PersistenceId == Kinds.Id).Select(row => row.SequenceNumber));
        Assert.Equal(1, world.Log.CountOf(Reused));
    }

    [Theory]
    [InlineData(Kind.All)]
    [InlineData(Kind.Tag)]
    [InlineData(Kind.Slice)]
    public void A_page_that_was_in_flight_does_not_hide_them(Kind kind)
    {
        for (var steps = 0; steps < 4; steps++)
        {
            using var world = new World(reusesOrderings: true);
            world.Append(1, 2);
            world.Journal.Append("q", 1, 3, 10, Kinds.Tag);
            world.Open("x");
            world.Advance(TimeSpan.FromSeconds(1));
            world.IsHeld = call => call.IsPages;
            var (live, current) = (world.Open(kind), world.Open(kind, isLive: false));
            world.Advance(TimeSpan.FromMilliseconds(300));
            foreach (var call in world.Database.Pending.Where(call => call.IsPages).ToList())
            {
                for (var step = 0; step < steps && !call.HasEnded; step++)
                    world.Database.Step(call);
            }
            world.Journal.Remove("q", 3);
            world.Append(3, 5);
            world.Advance(TimeSpan.FromSeconds(1));
            world.IsHeld = _ => false;
            world.Advance(TimeSpan.FromSeconds(1));
            Assert.Equal([1, 2, 3, 4, 5], live.Events.Where(row => row.PersistenceId == Kinds.Id).Select(row => row.SequenceNumber));
            Assert.True(current.IsCompleted);
        }
    }

    [Fact]
    public void A_row_that_reuses_an_ordering_between_the_poll_and_the_read_is_delivered_once()
    {
        using var world = new World(reusesOrderings: true);
        world.Append(1, 2);
        var reader = world.OpenAll();
        world.Advance(TimeSpan.FromSeconds(1));
        world.IsHeld = call => call.Kind == CallKind.Rows;
        world.Journal.Append("q", 1, 1);
        world.AdvanceUntil(() => world.Database.Pending.Count > 0);
        world.Journal.Remove("q", 1);
        world.Append(3, 3);
        Assert.Equal(3, world.Journal.LastDrawn);
        world.IsHeld = _ => false;
        world.Advance(TimeSpan.FromSeconds(1));
        Assert.Equal([1, 2, 3], reader.SequenceNumbers);
        Assert.Equal(1, world.Log.CountOf(Reused));
    }

    [Fact]
    public void A_current_query_ends_at_the_new_journal_end()
    {
        using var world = new World(options => options with { MaxBufferSize = 2 }, reusesOrderings: true);
        world.Append(1, 4);
        world.Journal.Append("q", 1, 3);
        world.Open("x");
        var reader = world.OpenAll(isLive: false);
        reader.IsEager = false;
        reader.Step();
        world.Advance(TimeSpan.FromSeconds(1));
        reader.Step();
        world.Journal.Remove("q", 3);
        world.Advance(TimeSpan.FromSeconds(1));
        reader.IsEager = true;
        world.Advance(TimeSpan.FromSeconds(1));
        Assert.Equal([1, 2, 3, 4], reader.Orderings);
        Assert.True(reader.IsCompleted);
    }

    [Fact]
    public void A_discarded_page_is_read_again_with_the_rows_that_reuse_its_orderings()
    {
        using var world = new World(options => options with { MaxBufferedBytes = 2000 }, reusesOrderings: true);
        world.Append(1, 2);
        world.Journal.Append("q", 1, 3);
        var reader = world.OpenAll();
        reader.IsEager = false;
        for (var i = 0; i < 5; i++)
        {
            reader.Step();
            world.Advance(TimeSpan.FromMilliseconds(50));
        }
        Assert.Equal(4, reader.Events.Count);
        world.Journal.Remove("q", 3);
        world.Append(3, 5);
        world.Advance(TimeSpan.FromMilliseconds(300));
        world.Engine.Budget().Reserve(3000);
        world.OpenCurrent("x");
        world.Advance(TimeSpan.FromSeconds(3));
        world.Engine.Budget().Release(3000);
        reader.IsEager = true;
        world.Advance(TimeSpan.FromSeconds(1));
        Assert.Equal([1, 2, 3, 4, 5], reader.Events.Where(row => row.PersistenceId == Kinds.Id).Select(row => row.SequenceNumber));
    }

    [Fact]
    public void If_all_rows_are_deleted_it_begins_at_the_start()
    {
        using var world = new World(reusesOrderings: true);
        world.Journal.Append("q", 1, 3);
        var reader = world.OpenAll();
        world.Advance(TimeSpan.FromSeconds(1));
        world.Journal.Remove("q", 3);
        world.Advance(TimeSpan.FromSeconds(1));
        world.Append(1, 3);
        world.Advance(TimeSpan.FromSeconds(1));
        Assert.Equal([1, 2, 3], reader.Events.Where(row => row.PersistenceId == Kinds.Id).Select(row => row.Ordering));
    }

    [Fact]
    public void If_more_rows_are_deleted_than_remembered_every_query_ends()
    {
        using var world = new World(reusesOrderings: true);
        world.Append(1, 10);
        var reader = world.OpenAll();
        world.Advance(TimeSpan.FromSeconds(1));
        world.Journal.Append("q", 1, 2000);
        world.Advance(TimeSpan.FromSeconds(1));
        world.Journal.Remove("q", 2000);
        world.Append(11, 12);
        world.Advance(TimeSpan.FromSeconds(1));
        Assert.IsType<JournalRewoundException>(reader.Failure);
    }

    [Fact]
    public void A_waiting_query_notices_a_high_water_mark_that_returns_to_its_old_value()
    {
        using var world = new World(reusesOrderings: true);
        world.Append(1, 2);
        world.Journal.Append("q", 1, 3);
        var reader = world.OpenTag(Kinds.Tag);
        world.Advance(TimeSpan.FromSeconds(1));
        world.Journal.Remove("q", 3);
        world.Advance(TimeSpan.FromSeconds(1));
        var current = world.OpenAll(isLive: false);
        world.Append(3, 5);
        world.Advance(TimeSpan.FromSeconds(1));
        Assert.Equal([1, 2, 3, 4, 5], reader.Orderings);
        Assert.True(current.IsCompleted);
    }
}
