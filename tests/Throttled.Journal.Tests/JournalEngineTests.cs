using Throttled.Journal.Database;

namespace Throttled.Journal.Tests;

public sealed class JournalEngineTests
{
    [Fact]
    public void Opening_does_not_touch_the_database()
    {
        using var world = new World();
        world.Open("p").IsEager = false;
        world.Advance(TimeSpan.FromMinutes(1));
        Assert.Equal(0, world.Database.CallCount);
    }

    [Fact]
    public void A_bad_option_is_refused_at_start() =>
        Assert.Throws<ArgumentException>(() => new World(options => options with { MaxBufferSize = 0 }));

    [Fact]
    public void Disposal_ends_every_query()
    {
        var world = new World();
        var (live, current) = (world.Open("p"), world.OpenCurrent("q"));
        world.IsHeld = call => call.Kind == CallKind.Pages;
        world.Settle();
        world.Close();
        Assert.IsType<ObjectDisposedException>(live.Failure);
        Assert.IsType<ObjectDisposedException>(current.Failure);
    }

    [Fact]
    public void Disposal_waits_until_statements_have_ended()
    {
        var world = new World();
        world.Open("p");
        world.Advance(TimeSpan.FromSeconds(1));
        world.IsHeld = _ => true;
        world.OpenCurrent("q");
        world.Settle();
        var closing = world.Closing();
        Assert.False(closing.IsCompleted);
        Assert.False(world.Database.IsDisposed);
        world.Close();
        Assert.True(world.Database.IsDisposed);
        Assert.Equal(0, world.Database.RunningPages + world.Database.RunningReserved);
    }

    [Fact]
    public void Disposal_completes_if_the_statement_ends_before_its_cancellation_arrives()
    {
        var world = new World();
        world.Open("p");
        world.IsHeld = call => !call.IsPages;
        world.Settle();
        var call = world.Database.Pending.Single();
        var closing = world.Closing();
        world.Scheduler.Step();
        while (!call.HasEnded)
            world.Database.Step(call);
        world.Scheduler.Step(new Newest());
        world.Close();
        Assert.True(closing.IsCompletedSuccessfully);
    }

    [Fact]
    public void After_disposal_a_query_fails()
    {
        var world = new World();
        world.Close();
        var reader = world.Open("p");
        world.Settle();
        Assert.IsType<ObjectDisposedException>(reader.Failure);
    }

    [Fact]
    public async Task Concurrent_health_checks_share_one_probe()
    {
        using var world = new World { IsHeld = call => call.Kind == CallKind.Probe };
        var checks = Enumerable.Range(0, 10).Select(_ => world.Engine.CheckHealthAsync(CancellationToken.None)).ToList();
        world.Settle();
        Assert.All(checks, check => Assert.False(check.IsCompleted));
        world.IsHeld = _ => false;
        world.Settle();
        Assert.All(await Task.WhenAll(checks), health => Assert.Null(health.UnreadableReason));
        Assert.Equal(1, world.Database.CallCount);
        var another = world.Engine.CheckHealthAsync(CancellationToken.None);
        world.Settle();
        await another;
        Assert.Equal(2, world.Database.CallCount);
    }

    [Theory]
    [InlineData("57P03: the database system is starting up")]
    [InlineData("57P03: the database system is starting up.")]
    public async Task The_unreadable_reason_has_one_full_stop_before_the_address(string reason)
    {
        using var world = new World();
        world.Database.Address = "database 'app' on db:5432";
        world.Database.Fault = _ => new ScriptedFault(FaultKind.ConnectionLost, reason);
        var check = world.Engine.CheckHealthAsync(CancellationToken.None);
        world.Settle();
        Assert.Equal(
            "57P03: the database system is starting up. The journal is read from database 'app' on db:5432.", (await check.WaitAsync(TimeSpan.FromSeconds(20))).UnreadableReason);
    }

    [Fact]
    public async Task A_health_check_ends_with_the_engine()
    {
        var world = new World { IsHeld = call => call.Kind == CallKind.Probe };
        var check = world.Engine.CheckHealthAsync(CancellationToken.None);
        world.Settle();
        world.Close();
        await Assert.ThrowsAsync<ObjectDisposedException>(() => check.WaitAsync(TimeSpan.FromSeconds(20)));
    }

    [Fact]
    public async Task The_end_of_an_empty_journal_is_0_and_then_its_highest_ordering()
    {
        using var world = new World();
        Assert.Equal(0, await EndAsync(world));
        world.Journal.Append("p", 1, 3);
        world.Journal.Append("q", 1, 1);
        Assert.Equal(4, await EndAsync(world));
    }

    [Fact]
    public async Task Concurrent_requests_for_the_end_share_a_statement_and_cancelling_one_leaves_the_others()
    {
        using var world = new World { IsHeld = call => call.Kind == CallKind.Anchor };
        world.Journal.Append("p", 1, 3);
        using var cancellation = new CancellationTokenSource();
        var first = world.Engine.EndAsync(cancellation.Token);
        var others = Enumerable.Range(0, 5).Select(_ => world.Engine.EndAsync(CancellationToken.None)).ToList();
        world.Settle();
        await cancellation.CancelAsync();
        await Assert.ThrowsAsync<TaskCanceledException>(() => first);
        Assert.All(others, other => Assert.False(other.IsCompleted));
        world.IsHeld = _ => false;
        world.Settle();
        Assert.All(await Task.WhenAll(others), end => Assert.Equal(3, end));
        Assert.Equal(1, world.Database.CallCount);
    }

    [Fact]
    public async Task A_request_for_the_end_sees_what_was_committed_before_it_though_a_statement_runs()
    {
        using var world = new World { IsHeld = call => call.Kind == CallKind.Anchor };
        world.Journal.Append("p", 1, 3);
        var before = world.Engine.EndAsync(CancellationToken.None);
        world.Settle();
        var running = Assert.Single(world.Database.Pending);
        // It has read the end.
        world.Database.Step(running);
        world.Database.Step(running);
        world.Journal.Append("p", 4, 5);
        Task<long>[] after = [world.Engine.EndAsync(CancellationToken.None), world.Engine.EndAsync(CancellationToken.None)];
        world.Settle();
        world.IsHeld = _ => false;
        world.Settle();
        Assert.Equal((3, 5, 5), (await before, await after[0], await after[1]));
        Assert.Equal(2, world.Database.CallCount);
    }

    [Fact]
    public async Task A_fault_fails_the_waiting_request_for_the_end_and_no_later_one()
    {
        using var world = new World();
        world.Database.IsDown = true;
        var failing = world.Engine.EndAsync(CancellationToken.None);
        world.Settle();
        await Assert.ThrowsAsync<ScriptedFault>(() => failing);
        world.Database.IsDown = false;
        Assert.Equal(0, await EndAsync(world));
    }

    [Fact]
    public async Task Disposal_fails_requests_for_the_end()
    {
        var world = new World { IsHeld = call => call.Kind == CallKind.Anchor };
        var before = world.Engine.EndAsync(CancellationToken.None);
        world.Settle();
        world.Close();
        await Assert.ThrowsAsync<ObjectDisposedException>(() => before.WaitAsync(TimeSpan.FromSeconds(20)));
        await Assert.ThrowsAsync<ObjectDisposedException>(() => EndAsync(world));
    }

    [Fact]
    public async Task The_last_issued_ordering_survives_deletion_but_not_a_rewind()
    {
        using var world = new World();
        Assert.Equal(0, await LastIssuedAsync(world));
        world.Journal.Append("p", 1, 3);
        world.Journal.Append("q", 1, 2);
        world.Journal.Remove("q", 2);
        Assert.Equal(3, await EndAsync(world));
        Assert.Equal(5, await LastIssuedAsync(world));
        world.Journal.Rewind(2);
        Assert.Equal(2, await LastIssuedAsync(world));
    }

    [Fact]
    public async Task An_outage_fails_the_request_for_the_last_issued_ordering_and_no_later_one()
    {
        using var world = new World();
        world.Journal.Append("p", 1, 3);
        world.Database.IsDown = true;
        await Assert.ThrowsAsync<ScriptedFault>(() => LastIssuedAsync(world));
        world.Database.IsDown = false;
        Assert.Equal(3, await LastIssuedAsync(world));
    }

    private static Task<long?> LastIssuedAsync(World world)
    {
        var last = world.Engine.LastIssuedAsync(CancellationToken.None);
        world.Settle();
        return last.WaitAsync(TimeSpan.FromSeconds(20));
    }

    private static Task<long> EndAsync(World world)
    {
        var end = world.Engine.EndAsync(CancellationToken.None);
        world.Settle();
        return end.WaitAsync(TimeSpan.FromSeconds(20));
    }

    /// <summary>Always chooses the newest item.</summary>
    private sealed class Newest : Random
    {
        public override int Next(int maxValue) => maxValue - 1;
    }
}
