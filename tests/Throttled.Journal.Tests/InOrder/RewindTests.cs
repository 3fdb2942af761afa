using Throttled.Journal.Database;

namespace Throttled.Journal.Tests.InOrder;

public sealed class RewindTests
{
    [Fact]
    public void A_journal_restored_without_its_newest_rows_ends_every_query()
    {
        using var world = new World(options => options with { MaxBufferSize = 2 });
        world.Append(1, 9);
        List<PolledReader> readers =
        [
            world.OpenAll(), world.OpenTag("x"), world.OpenSlice(Kinds.Id), world.Open("new"), world.OpenAll(isLive: false),
            world.OpenCurrent(Kinds.Id),
        ];
        var (ids, currentIds) = (world.OpenIds(), world.OpenIds(isLive: false));
        // Some queries are on a page, the last one in the middle of it.
        readers[4].IsEager = readers[5].IsEager = false;
        foreach (var reader in readers)
            reader.Step();
        world.Advance(TimeSpan.FromSeconds(1));
        readers[5].Step();
        world.Journal.Rewind(5);
        world.Append(6, 6);
        world.Advance(TimeSpan.FromSeconds(1));
        readers[4].IsEager = readers[5].IsEager = true;
        world.Advance(TimeSpan.FromSeconds(1));
        Assert.All(readers, reader => Assert.IsType<JournalRewoundException>(reader.Failure));
        Assert.Equal(readers.Count, readers.Select(reader => reader.Failure).Distinct().Count());
        Assert.IsType<JournalRewoundException>(ids.Failure);
        Assert.True(currentIds.IsCompleted);
        Assert.Equal((1, 0L), (world.Log.CountOf(18), world.Engine.Budget().Used));
        Assert.False(world.Engine.HasFollowers());
    }

    [Fact]
    public void Another_row_at_the_position_is_a_rewind()
    {
        using var world = new World();
        world.Append(1, 5);
        var reader = world.Open("x");
        world.Advance(TimeSpan.FromSeconds(1));
        world.Journal.Rewind(2);
        world.Journal.Append("other", 1, 6);
        world.Advance(TimeSpan.FromSeconds(1));
        Assert.IsType<JournalRewoundException>(reader.Failure);
    }

    [Fact]
    public void Newest_rows_that_were_deleted_are_no_rewind()
    {
        using var world = new World();
        world.Append(1, 5);
        var reader = world.OpenAll();
        world.Advance(TimeSpan.FromSeconds(1));
        world.Journal.Remove(Kinds.Id, 5);
        world.Advance(TimeSpan.FromSeconds(1));
        world.Append(6, 6);
        world.Advance(TimeSpan.FromSeconds(1));
        Assert.Equal([1, 2, 3, 4, 5, 6], reader.Orderings);
    }

    [Fact]
    public void A_rolled_back_ordering_at_the_end_is_no_rewind()
    {
        using var world = new World();
        world.Append(1, 5);
        var reader = world.OpenAll();
        world.Advance(TimeSpan.FromSeconds(1));
        world.Journal.Skip();
        world.Advance(TimeSpan.FromSeconds(1));
        world.Append(6, 6);
        world.Advance(TimeSpan.FromSeconds(1));
        Assert.Equal([1, 2, 3, 4, 5, 7], reader.Orderings);
    }

    [Fact]
    public void A_rewind_ends_queries_that_wait_for_a_permit_too()
    {
        using var world = new World(options => options with { MaxConcurrentQueries = 1, MaxQueriesPerStatement = 1 });
        world.Append(1, 5);
        world.Open("x");
        world.Advance(TimeSpan.FromSeconds(1));
        world.IsHeld = call => call.IsPages;
        List<PolledReader> readers = [world.OpenCurrent("a"), world.OpenCurrent("b"), world.OpenAll(isLive: false)];
        world.Advance(TimeSpan.FromSeconds(1));
        world.Journal.Rewind(2);
        world.Advance(TimeSpan.FromSeconds(1));
        world.IsHeld = _ => false;
        Assert.All(readers, reader => Assert.IsType<JournalRewoundException>(reader.Failure));
        world.Advance(TimeSpan.FromSeconds(1));
        Assert.Equal((0, 0), (world.Permits.Held, world.Engine.Slots()));
    }

    [Fact]
    public void A_query_opened_after_a_rewind_reads_the_journal_as_it_is()
    {
        using var world = new World();
        world.Append(1, 9);
        var before = world.OpenAll();
        world.Advance(TimeSpan.FromSeconds(1));
        world.Journal.Rewind(2);
        world.Append(3, 3);
        world.Advance(TimeSpan.FromSeconds(1));
        Assert.IsType<JournalRewoundException>(before.Failure);
        List<PolledReader> after = [world.OpenAll(), world.OpenTag(Kinds.Tag), world.Open(Kinds.Id), world.OpenAll(isLive: false)];
        world.Advance(TimeSpan.FromSeconds(1));
        Assert.All(after, reader => Assert.Equal([1, 2, 3], reader.Orderings));
        world.Append(4, 5);
        world.Advance(TimeSpan.FromSeconds(1));
        Assert.All(after.Take(3), reader => Assert.Equal([1, 2, 3, 4, 5], reader.Orderings));
        // A query that lagged notices it one page later.
        after[0].IsEager = false;
        for (var i = 6; i <= 600; i++)
            world.Append(i, i);
        world.Advance(TimeSpan.FromSeconds(1));
        after[0].IsEager = true;
        world.Advance(TimeSpan.FromSeconds(1));
        Assert.Equal(600, after[0].Events.Count);
    }

    [Fact]
    public void A_restore_during_an_outage_is_noticed()
    {
        using var world = new World();
        world.Append(1, 5);
        var reader = world.OpenTag(Kinds.Tag);
        world.Advance(TimeSpan.FromSeconds(1));
        world.Database.Fault = _ => new ScriptedFault(FaultKind.ConnectionLost);
        world.Advance(TimeSpan.FromSeconds(1));
        world.Journal.Rewind(2);
        world.Database.Fault = null;
        world.Advance(TimeSpan.FromSeconds(20));
        Assert.IsType<JournalRewoundException>(reader.Failure);
    }

    [Theory]
    [InlineData(5)]
    [InlineData(1)]
    public void Newest_rows_missing_on_another_server_are_a_loss_even_if_their_orderings_are_not_reused(long left)
    {
        using var world = new World();
        world.Database.Server = "one";
        world.Append(1, 6);
        List<PolledReader> readers = [world.OpenAll(), world.OpenTag(Kinds.Tag), world.Open("new")];
        world.Advance(TimeSpan.FromSeconds(1));
        world.Database.Server = "two";
        world.Journal.Lose(left);
        world.Append(7, 7);
        world.Advance(TimeSpan.FromSeconds(1));
        Assert.All(readers, reader => Assert.IsType<JournalRewoundException>(reader.Failure));
        Assert.Equal((1, 0L), (world.Log.CountOf(18), world.Engine.Budget().Used));
    }

    [Fact]
    public void The_first_event_of_an_id_missing_on_another_server_is_a_loss()
    {
        using var world = new World();
        world.Database.Server = "one";
        world.Journal.Append("new", 1, 1);
        var reader = world.OpenAll();
        world.Advance(TimeSpan.FromSeconds(1));
        world.Database.Server = "two";
        world.Journal.Lose(0);
        world.Advance(TimeSpan.FromSeconds(1));
        Assert.IsType<JournalRewoundException>(reader.Failure);
    }

    [Fact]
    public void Newest_rows_that_were_deleted_while_the_server_changed_are_no_rewind()
    {
        using var world = new World();
        world.Database.Server = "one";
        world.Append(1, 5);
        var reader = world.OpenAll();
        world.Advance(TimeSpan.FromSeconds(1));
        world.Database.Server = "two";
        world.Journal.Remove(Kinds.Id, 5);
        world.Advance(TimeSpan.FromSeconds(1));
        world.Database.Server = "three";
        world.Advance(TimeSpan.FromSeconds(1));
        world.Append(6, 6);
        world.Advance(TimeSpan.FromSeconds(1));
        Assert.Equal([1, 2, 3, 4, 5, 6], reader.Orderings);
    }

    [Fact]
    public void A_newest_row_deleted_before_the_server_changed_is_no_rewind()
    {
        using var world = new World();
        world.Database.Server = "one";
        world.Append(1, 5);
        var reader = world.OpenAll();
        world.Advance(TimeSpan.FromSeconds(1));
        world.Journal.Lose(4);
        world.Advance(TimeSpan.FromSeconds(1));
        world.Database.Server = "two";
        world.Advance(TimeSpan.FromSeconds(1));
        world.Append(6, 6);
        world.Advance(TimeSpan.FromSeconds(1));
        Assert.Equal([1, 2, 3, 4, 5, 6], reader.Orderings);
    }

    // A session names the server as it was called when the session was opened.
    [Fact]
    public void A_newest_row_deleted_while_the_server_has_two_names_is_no_rewind()
    {
        using var world = new World();
        world.Database.Server = "one/1";
        world.Append(1, 5);
        List<PolledReader> readers = [world.OpenAll(), world.OpenTag(Kinds.Tag)];
        world.Advance(TimeSpan.FromSeconds(1));
        world.Database.Server = "one/2";
        world.Append(6, 6);
        world.Journal.Append("single", 1, 1, 10, Kinds.Tag);
        world.Advance(TimeSpan.FromSeconds(1));
        world.Database.Server = "one/1";
        world.Journal.Remove("single", 1);
        world.Advance(TimeSpan.FromSeconds(1));
        world.Append(7, 7);
        world.Advance(TimeSpan.FromSeconds(1));
        Assert.All(readers, reader => Assert.Equal([1, 2, 3, 4, 5, 6, 7, 8], reader.Orderings));
    }

    // This server ran all the time, and never had what the other server committed meanwhile.
    [Fact]
    public void A_newest_row_missing_after_the_address_moved_back_is_a_loss()
    {
        using var world = new World();
        world.Database.Server = "one/1";
        world.Append(1, 5);
        List<PolledReader> readers = [world.OpenAll(), world.OpenTag(Kinds.Tag), world.Open("new")];
        world.Advance(TimeSpan.FromSeconds(1));
        world.Database.Server = "two/1";
        world.Append(6, 6);
        world.Advance(TimeSpan.FromSeconds(1));
        world.Database.Server = "one/1";
        world.Journal.Lose(5);
        world.Append(6, 6);
        world.Advance(TimeSpan.FromSeconds(1));
        Assert.All(readers, reader => Assert.IsType<JournalRewoundException>(reader.Failure));
        Assert.Equal((1, 0L), (world.Log.CountOf(18), world.Engine.Budget().Used));
    }

    [Fact]
    public void A_newest_row_missing_on_a_promoted_standby_is_a_loss()
    {
        using var world = new World();
        (world.Database.Server, world.Journal.IsStandby) = ("standby/1", true);
        world.Append(1, 5);
        List<PolledReader> readers = [world.OpenAll(), world.OpenTag(Kinds.Tag), world.Open("new")];
        world.Advance(TimeSpan.FromSeconds(1));
        (world.Database.Server, world.Journal.IsStandby) = ("primary/1", false);
        world.Append(6, 6);
        world.Advance(TimeSpan.FromSeconds(1));
        (world.Database.Server, world.Journal.IsStandby) = ("standby/1", true);
        world.Journal.Lose(5);
        world.Advance(TimeSpan.FromSeconds(1));
        Assert.All(readers, reader => Assert.Null(reader.Failure));
        world.Journal.IsStandby = false;
        world.Advance(TimeSpan.FromSeconds(1));
        Assert.All(readers, reader => Assert.IsType<JournalRewoundException>(reader.Failure));
    }

    [Fact]
    public void A_search_for_older_events_that_ends_without_followers_reports_nothing()
    {
        using var world = new World();
        world.Database.Server = "one";
        world.Append(1, 5);
        var reader = world.OpenAll();
        world.Advance(TimeSpan.FromSeconds(1));
        world.Database.Server = "two";
        world.IsHeld = call => call.Kind == CallKind.Older;
        world.Journal.Lose(4);
        world.Advance(TimeSpan.FromSeconds(1));
        reader.Dispose();
        world.Settle();
        var next = world.OpenAll();
        world.Settle();
        world.IsHeld = _ => false;
        world.Append(6, 7);
        world.Advance(TimeSpan.FromSeconds(5));
        Assert.Null(next.Failure);
        Assert.Equal([1, 2, 3, 4, 6, 7], next.Orderings);
    }

    [Fact]
    public void A_search_for_older_events_that_fails_is_repeated()
    {
        using var world = new World();
        world.Database.Server = "one";
        world.Append(1, 5);
        var reader = world.OpenAll();
        world.Advance(TimeSpan.FromSeconds(1));
        (world.Database.Server, var failures) = ("two", 3);
        world.Database.Fault = call => call.Kind == CallKind.Older && failures-- > 0 ? new ScriptedFault(FaultKind.Transient) : null;
        world.Journal.Lose(4);
        world.Advance(TimeSpan.FromSeconds(20));
        Assert.IsType<JournalRewoundException>(reader.Failure);
        Assert.Equal(0, world.Engine.Budget().Used);
    }
}
