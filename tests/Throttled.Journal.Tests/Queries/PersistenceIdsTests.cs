using Throttled.Journal.Database;

namespace Throttled.Journal.Tests.Queries;

public sealed class PersistenceIdsTests
{
    [Fact]
    public void Each_id_comes_once_and_then_the_query_ends()
    {
        using var world = new World(options => options with { MaxRowsPerStatement = 2 });
        Append(world, "c", "a", "e", "b", "d");
        var reader = world.OpenIds(isLive: false);
        world.Settle();
        Assert.Equal(["a", "b", "c", "d", "e"], reader.Items);
        Assert.True(reader.IsCompleted);
    }

    [Fact]
    public void An_empty_journal_has_no_ids()
    {
        using var world = new World();
        var reader = world.OpenIds(isLive: false);
        world.Settle();
        Assert.Empty(reader.Items);
        Assert.True(reader.IsCompleted);
    }

    [Fact]
    public void Ids_whose_events_are_all_deleted_are_left_out()
    {
        using var world = new World(options => options with { MaxRowsPerStatement = 1 });
        Append(world, "a", "b", "c");
        world.Journal.MarkDeleted("b", 1);
        var (current, live) = (world.OpenIds(isLive: false), world.OpenIds());
        world.Advance(TimeSpan.FromSeconds(1));
        Assert.Equal(["a", "c"], current.Items);
        Assert.Equal(["a", "c"], live.Items);
    }

    [Fact]
    public void A_live_query_goes_on_with_new_ids()
    {
        using var world = new World();
        Append(world, "a", "b");
        var reader = world.OpenIds();
        world.Advance(TimeSpan.FromSeconds(1));
        Append(world, "b", "c", "a");
        world.Advance(TimeSpan.FromMilliseconds(200));
        Assert.Equal(["a", "b", "c"], reader.Items);
        Assert.Single(world.Database.Of(CallKind.Ids));
    }

    [Fact]
    public void Ids_that_commit_during_the_scan_come_once()
    {
        using var world = new World(options => options with { MaxRowsPerStatement = 2 });
        Append(world, "b", "d", "f", "h");
        world.IsHeld = call => call.Kind == CallKind.Ids;
        var reader = world.OpenIds();
        foreach (var id in new[] { "a", "c", "e", "g", "i" })
        {
            world.Advance(TimeSpan.FromMilliseconds(300));
            Append(world, id);
            if (world.Database.Pending.FirstOrDefault(call => call.Kind == CallKind.Ids) is { } scan)
                world.Database.Step(scan);
        }
        world.IsHeld = _ => false;
        world.Advance(TimeSpan.FromSeconds(1));
        Assert.Equal(["a", "b", "c", "d", "e", "f", "g", "h", "i"], reader.Items.Order(StringComparer.Ordinal));
    }

    [Fact]
    public void An_id_whose_transaction_was_open_at_the_start_comes_when_it_commits()
    {
        using var world = new World();
        var late = world.Journal.Begin();
        late.Add("late", 1);
        Append(world, "a");
        var reader = world.OpenIds();
        world.Advance(TimeSpan.FromSeconds(1));
        Assert.Equal(["a"], reader.Items);
        late.Commit();
        world.Journal.LetGo(late);
        world.Advance(TimeSpan.FromSeconds(1));
        Assert.Equal(["a", "late"], reader.Items);
    }

    [Fact]
    public void An_id_whose_transaction_was_open_at_the_start_and_commits_behind_the_scan_comes()
    {
        using var world = new World();
        var late = world.Journal.Begin();
        late.Add("late", 1);
        Append(world, "a");
        world.IsHeld = call => call.Kind == CallKind.Ids;
        var reader = world.OpenIds();
        world.Advance(TimeSpan.FromSeconds(1));
        world.Database.Step(world.Database.Pending.Single());
        late.Commit();
        world.Journal.LetGo(late);
        world.Advance(TimeSpan.FromSeconds(1));
        world.IsHeld = _ => false;
        world.Advance(TimeSpan.FromSeconds(1));
        Assert.Equal(["a", "late"], reader.Items);
    }

    [Fact]
    public void An_id_of_a_late_commit_comes()
    {
        using var world = new World();
        var reader = world.OpenIds();
        world.Advance(TimeSpan.FromSeconds(1));
        var late = world.Journal.Begin();
        late.Add("late", 1);
        Append(world, "a");
        world.Advance(TimeSpan.FromSeconds(1));
        late.Commit();
        world.Advance(TimeSpan.FromSeconds(1));
        Assert.Equal(["a", "late"], reader.Items);
    }

    [Fact]
    public void A_jump_over_a_large_lag_loses_no_id()
    {
        using var world = new World(options => options with { TailMaxLag = 20_000 });
        var reader = world.OpenIds();
        world.Advance(TimeSpan.FromSeconds(1));
        world.Journal.Append("q", 1, 15_000);
        Append(world, "a");
        world.Journal.Append("q", 15_001, 30_000);
        Append(world, "b");
        world.Advance(TimeSpan.FromSeconds(5));
        Assert.Equal(1, world.Log.CountOf(11));
        Assert.Equal(["a", "b", "q"], reader.Items.Order(StringComparer.Ordinal));
    }

    [Fact]
    public void All_live_queries_share_one_scan_and_one_list()
    {
        using var world = new World();
        Append(world, "a", "b");
        var first = world.OpenIds();
        world.Advance(TimeSpan.FromSeconds(1));
        Append(world, "c");
        world.Advance(TimeSpan.FromSeconds(1));
        var second = world.OpenIds();
        world.Advance(TimeSpan.FromSeconds(1));
        Assert.Equal(first.Items, second.Items);
        Assert.Same(first.Items[0], second.Items[0]);
        Assert.Single(world.Database.Of(CallKind.Ids));
    }

    [Fact]
    public void After_the_last_query_has_left_the_next_one_scans_again()
    {
        using var world = new World();
        Append(world, "a");
        var first = world.OpenIds();
        world.Open("x");
        world.Advance(TimeSpan.FromSeconds(1));
        first.Dispose();
        world.Settle();
        Append(world, "b");
        var second = world.OpenIds();
        world.Advance(TimeSpan.FromSeconds(1));
        Assert.Equal(["a", "b"], second.Items);
        Assert.Equal(2, world.Database.Of(CallKind.Ids).Count());
    }

    [Fact]
    public void A_query_that_leaves_during_the_scan_does_not_stop_the_next_from_scanning()
    {
        using var world = new World(options => options with { MaxRowsPerStatement = 1 });
        Append(world, "a", "b", "c");
        world.IsHeld = call => call.Kind == CallKind.Ids;
        var first = world.OpenIds();
        world.Open("x");
        world.Advance(TimeSpan.FromSeconds(1));
        first.Dispose();
        world.Settle();
        world.IsHeld = _ => false;
        var second = world.OpenIds();
        world.Advance(TimeSpan.FromSeconds(1));
        Assert.Equal(["a", "b", "c"], second.Items);
    }

    [Fact]
    public void A_discarded_page_is_delivered_again_from_there()
    {
        using var world = new World(options => options with { MaxBufferedBytes = 500 });
        Append(world, "a", "b", "c");
        var (live, current) = (world.OpenIds(), world.OpenIds(isLive: false));
        live.IsEager = current.IsEager = false;
        foreach (var reader in new[] { live, current })
            reader.Step();
        world.Advance(TimeSpan.FromMilliseconds(50));
        foreach (var reader in new[] { live, current })
            reader.Step();
        Assert.Equal((1, 1), (live.Items.Count, current.Items.Count));
        world.Engine.Budget().Reserve(1000);
        world.OpenCurrent("x");
        world.Advance(TimeSpan.FromSeconds(3));
        world.Engine.Budget().Release(1000);
        Assert.Equal(0, world.Engine.Budget().Used);
        live.IsEager = current.IsEager = true;
        world.Advance(TimeSpan.FromSeconds(1));
        Assert.Equal(["a", "b", "c"], live.Items);
        Assert.Equal(["a", "b", "c"], current.Items);
    }

    [Fact]
    public void A_discarded_page_of_a_query_that_has_ended_is_ignored()
    {
        using var world = new World(options => options with { MaxBufferedBytes = 500, MaxBufferSize = 2 });
        Append(world, "a", "b", "c", "d");
        var reader = world.OpenIds();
        reader.IsEager = false;
        for (var i = 0; i < 5; i++)
        {
            reader.Step();
            world.Advance(TimeSpan.FromMilliseconds(50));
        }
        Assert.Equal(3, reader.Items.Count);
        world.Engine.Budget().Reserve(1000);
        world.OpenCurrent("x");
        world.Advance(TimeSpan.FromSeconds(3));
        world.Database.Fault = call => call.Kind == CallKind.Keys ? new ScriptedFault(FaultKind.Fatal) : null;
        world.Advance(TimeSpan.FromMinutes(2));
        world.Engine.Budget().Release(1000);
        reader.IsEager = true;
        world.Advance(TimeSpan.FromSeconds(1));
        Assert.IsType<JournalException>(reader.Failure);
    }

    [Fact]
    public void A_scan_that_always_fails_ends_each_query_with_its_own_reason()
    {
        using var world = new World(options => options with { FatalErrorGracePeriod = TimeSpan.Zero });
        world.Database.Fault = call => call.Kind == CallKind.Ids ? new ScriptedFault(FaultKind.Fatal) : null;
        var (first, second) = (world.OpenIds(), world.OpenIds());
        world.Advance(TimeSpan.FromSeconds(5));
        Assert.Contains("the persistence ids", Assert.IsType<JournalException>(first.Failure).Message, StringComparison.Ordinal);
        Assert.IsType<JournalException>(second.Failure);
        Assert.NotSame(first.Failure, second.Failure);
        world.Database.Fault = null;
        Append(world, "a");
        var third = world.OpenIds();
        world.Advance(TimeSpan.FromSeconds(5));
        Assert.Equal(["a"], third.Items);
    }

    private static void Append(World world, params string[] ids)
    {
        foreach (var id in ids)
            world.Journal.Append(id, 1, 1);
    }
}
