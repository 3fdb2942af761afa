using Throttled.Journal.Database;

namespace Throttled.Journal.Tests.InOrder;

/// <summary>Another server takes over, and may lag behind the one before.</summary>
public sealed class ServerChangeTests
{
    private readonly ScriptedJournal _behind = new() { IsStandby = true };

    [Theory]
    [InlineData(Kind.All, true)]
    [InlineData(Kind.Tag, true)]
    [InlineData(Kind.All, false)]
    [InlineData(Kind.Tag, false)]
    public void A_server_that_is_behind_delays_what_a_query_has_yet_to_read(Kind kind, bool isLive)
    {
        using var world = OnFirstServer();
        world.Append(1, 10);
        Append(1, 4);
        var follower = world.OpenAll();
        world.Advance(TimeSpan.FromSeconds(1));
        var reader = world.Open(kind, isLive: isLive);
        reader.IsEager = false;
        reader.Step();
        world.Settle();
        MoveToSecond(world);
        reader.IsEager = true;
        world.Advance(TimeSpan.FromSeconds(30));
        Assert.DoesNotContain(reader.Orderings, ordering => ordering > 4);
        Append(5, 12);
        world.Advance(TimeSpan.FromSeconds(30));
        Assert.Equal(Enumerable.Range(1, isLive ? 12 : 10).Select(n => (long)n), reader.Orderings);
        Assert.Equal(Enumerable.Range(1, 12).Select(n => (long)n), follower.Orderings);
        Assert.Equal(!isLive, reader.IsCompleted);
    }

    [Fact]
    public void A_query_by_persistence_id_that_begins_on_a_server_that_is_behind_misses_nothing()
    {
        using var world = OnFirstServer();
        world.Append(1, 10);
        Append(1, 4);
        world.OpenAll();
        world.Advance(TimeSpan.FromSeconds(1));
        MoveToSecond(world);
        var reader = world.Open(Kinds.Id);
        world.Advance(TimeSpan.FromSeconds(5));
        Assert.Equal([1, 2, 3, 4], reader.SequenceNumbers);
        Append(5, 10);
        world.Advance(TimeSpan.FromSeconds(5));
        Assert.Equal(Enumerable.Range(1, 10).Select(n => (long)n), reader.SequenceNumbers);
    }

    [Fact]
    public void A_bounded_query_does_not_end_before_the_new_server_has_its_end()
    {
        using var world = OnFirstServer();
        world.Append(1, 2);
        Append(1, 2);
        world.OpenAll();
        var reader = world.Open(Kinds.Id, to: 4);
        world.Advance(TimeSpan.FromSeconds(1));
        world.IsHeld = call => call.Kind == CallKind.Pages;
        // These are more rows than fit beside its page, so it reads a page again.
        world.Append(3, 5);
        world.Advance(TimeSpan.FromSeconds(1));
        MoveToSecond(world);
        world.IsHeld = _ => false;
        world.Advance(TimeSpan.FromSeconds(5));
        Assert.False(reader.HasEnded);
        Append(3, 5);
        world.Advance(TimeSpan.FromSeconds(5));
        Assert.Equal([1, 2, 3, 4], reader.SequenceNumbers);
        Assert.True(reader.IsCompleted);
    }

    [Fact]
    public void Rows_whose_keys_came_from_the_previous_server_are_read_again_if_the_next_one_lacks_them()
    {
        using var world = OnFirstServer();
        world.Append(1, 4);
        Append(1, 4);
        List<PolledReader> readers = [world.OpenAll(), world.OpenTag(Kinds.Tag), world.Open(Kinds.Id)];
        world.Advance(TimeSpan.FromSeconds(1));
        world.IsHeld = call => call.Kind == CallKind.Keys;
        world.Append(5, 6);
        world.Advance(TimeSpan.FromSeconds(1));
        // The probe waits behind that poll, and the rows wait behind the probe.
        world.Database.Fault = call => call.Kind == CallKind.Pages ? new ScriptedFault(FaultKind.ConnectionLost) : null;
        world.OpenCurrent("other");
        world.Settle();
        world.Database.Fault = null;
        (world.Database.Identity, world.Database.Journal) = ("second", _behind);
        world.Advance(TimeSpan.FromSeconds(1));
        world.IsHeld = _ => false;
        world.Advance(TimeSpan.FromSeconds(5));
        Append(5, 6);
        world.Advance(TimeSpan.FromSeconds(5));
        Assert.All(readers, reader => Assert.Equal([1, 2, 3, 4, 5, 6], reader.SequenceNumbers));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void A_page_requested_from_the_previous_server_is_read_again(bool isById)
    {
        using var world = OnFirstServer();
        world.Append(1, 10);
        Append(1, 4);
        world.OpenAll();
        world.Advance(TimeSpan.FromSeconds(1));
        world.IsHeld = call => call.Kind is CallKind.Ordered or CallKind.Pages;
        var reader = isById ? world.Open(Kinds.Id) : world.OpenAll();
        world.Settle();
        // The statement has not begun, so it reads from the second server.
        MoveToSecond(world);
        world.IsHeld = _ => false;
        world.Advance(TimeSpan.FromSeconds(5));
        Append(5, 10);
        world.Advance(TimeSpan.FromSeconds(5));
        Assert.Equal(Enumerable.Range(1, 10).Select(n => (long)n), reader.SequenceNumbers);
    }

    [Fact]
    public void A_query_waits_for_open_transactions_of_a_server_that_is_behind_even_if_the_first_server_had_their_events()
    {
        using var world = OnFirstServer();
        world.Append(1, 4);
        world.Journal.Append("late", 1, 1, 10, Kinds.Tag);
        world.Append(5, 10);
        Append(1, 4);
        var late = _behind.Begin();
        late.Add("late", 1, 10, [Kinds.Tag]);
        Append(5, 10);
        world.OpenAll();
        world.Advance(TimeSpan.FromSeconds(1));
        MoveToSecond(world);
        List<PolledReader> readers = [world.OpenAll(), world.OpenTag(Kinds.Tag)];
        var byId = world.Open("late");
        world.Advance(TimeSpan.FromSeconds(5));
        late.Commit();
        _behind.LetGo(late);
        world.Advance(TimeSpan.FromSeconds(5));
        Assert.All(readers, reader => Assert.Equal(Enumerable.Range(1, 11).Select(n => (long)n), reader.Orderings));
        Assert.Equal([1], byId.SequenceNumbers);
    }

    [Fact]
    public void A_gap_is_not_closed_before_the_new_server_has_caught_up()
    {
        using var world = OnFirstServer();
        world.Append(1, 4);
        Append(1, 4);
        var open = world.Journal.Begin();
        open.Add(Kinds.Id, 5, 10, [Kinds.Tag]);
        world.Append(6, 6);
        var reader = world.OpenAll();
        world.Advance(TimeSpan.FromSeconds(1));
        MoveToSecond(world);
        world.Advance(TimeSpan.FromSeconds(30));
        Append(5, 6);
        world.Advance(TimeSpan.FromSeconds(5));
        Assert.Equal([1, 2, 3, 4, 5, 6], reader.Orderings);
    }

    // Transactions are not shown, so the age of the gap decides. A query by persistence id reads no page when another server takes over.
    [Fact]
    public void The_age_of_a_gap_counts_from_when_the_new_server_has_caught_up()
    {
        using var world = OnFirstServer();
        world.Database.KnowsOpenTransactions = false;
        world.Append(1, 4);
        Append(1, 4);
        var reader = world.Open("late");
        world.Advance(TimeSpan.FromSeconds(15));
        world.Journal.Begin().Add("late", 1, 10, [Kinds.Tag]);
        world.Append(5, 5);
        world.Advance(TimeSpan.FromSeconds(8));
        MoveToSecond(world);
        var late = _behind.Begin();
        late.Add("late", 1, 10, [Kinds.Tag]);
        Append(5, 5);
        world.Advance(TimeSpan.FromSeconds(4));
        late.Commit();
        world.Advance(TimeSpan.FromSeconds(2));
        Assert.Equal([1], reader.SequenceNumbers);
    }

    // The address moves to the standby and back. The page was requested from the primary before, and is delivered after.
    [Fact]
    public void A_page_read_on_another_server_does_not_count_when_the_address_has_moved_back()
    {
        using var world = new World();
        var servers = world.Database.Servers = new(world.Journal, new NewConnections());
        world.Append(1, 4);
        servers.Replay.Step(int.MaxValue);
        world.Append(5, 10);
        world.OpenAll();
        world.Advance(TimeSpan.FromSeconds(1));
        world.IsHeld = call => call.Kind == CallKind.Pages;
        var reader = world.Open(Kinds.Id);
        world.Settle();
        var page = Assert.Single(world.Database.Pending);
        LeadTo(servers.Standby);
        world.Database.Step(page);
        world.Database.Step(page);
        LeadTo(null);
        Assert.Equal(servers.Primary, servers.Accepted);
        world.IsHeld = _ => false;
        world.Advance(TimeSpan.FromSeconds(5));
        Assert.Equal(servers.Standby, page.Server);
        Assert.Equal(Enumerable.Range(1, 10).Select(n => (long)n), reader.SequenceNumbers);

        void LeadTo(ScriptedServer? server)
        {
            servers.LeadsTo = server;
            world.Advance(TimeSpan.FromSeconds(5));
        }
    }

    [Fact]
    public void A_server_that_lost_events_ends_the_queries()
    {
        using var world = OnFirstServer();
        world.Append(1, 10);
        var reader = world.OpenAll();
        world.Advance(TimeSpan.FromSeconds(1));
        var primary = new ScriptedJournal();
        primary.Append(Kinds.Id, 1, 4);
        MoveTo(world, primary);
        world.Advance(TimeSpan.FromSeconds(5));
        Assert.IsType<JournalRewoundException>(reader.Failure);
    }

    [Fact]
    public void After_a_restart_of_the_server_queries_that_follow_read_no_page()
    {
        using var world = OnFirstServer();
        world.Append(1, 4);
        List<PolledReader> readers = [world.OpenAll(), world.OpenTag(Kinds.Tag), world.Open(Kinds.Id)];
        world.Advance(TimeSpan.FromSeconds(1));
        var pages = Pages(world);
        MoveTo(world, world.Journal);
        world.Append(5, 6);
        world.Advance(TimeSpan.FromSeconds(5));
        Assert.All(readers, reader => Assert.Equal([1, 2, 3, 4, 5, 6], reader.SequenceNumbers));
        Assert.Equal(pages, Pages(world));
    }

    private static int Pages(World world) => world.Statements(CallKind.Pages) + world.Statements(CallKind.Ordered);

    private static World OnFirstServer()
    {
        var world = new World(options => options with { MaxBufferSize = 2 });
        world.Database.Identity = "first";
        return world;
    }

    private void Append(long from, long to) => _behind.Append(Kinds.Id, from, to, 10, Kinds.Tag);

    private void MoveToSecond(World world) => MoveTo(world, _behind);

    // The tail's statement finds the new server. Calls that the test keeps stay pending.
    private static void MoveTo(World world, ScriptedJournal journal)
    {
        (world.Database.Identity, world.Database.Journal) = ("second", journal);
        var failures = 1;
        world.Database.Fault = call => call.Kind is CallKind.Keys && failures-- > 0 ? new ScriptedFault(FaultKind.ConnectionLost) : null;
        world.Advance(TimeSpan.FromSeconds(2));
        world.Database.Fault = null;
    }

    /// <summary>Each call opens a connection.</summary>
    private sealed class NewConnections : Random
    {
        public override int Next(int maxValue) => 0;
    }
}
