using Throttled.Journal.Scripted;

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
    public void Disposal_comes_to_its_end_where_the_statement_ends_before_its_cancellation_arrives()
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
    public async Task Looks_that_meet_share_one_probe()
    {
        using var world = new World { IsHeld = call => call.Kind == CallKind.Probe };
        var looks = Enumerable.Range(0, 10).Select(_ => world.Engine.LookAsync(CancellationToken.None)).ToList();
        world.Settle();
        Assert.All(looks, look => Assert.False(look.IsCompleted));
        world.IsHeld = _ => false;
        world.Settle();
        Assert.All(await Task.WhenAll(looks), health => Assert.Null(health.Unreadable));
        Assert.Equal(1, world.Database.CallCount);
        var another = world.Engine.LookAsync(CancellationToken.None);
        world.Settle();
        await another;
        Assert.Equal(2, world.Database.CallCount);
    }

    [Fact]
    public async Task A_look_ends_with_the_engine()
    {
        var world = new World { IsHeld = call => call.Kind == CallKind.Probe };
        var look = world.Engine.LookAsync(CancellationToken.None);
        world.Settle();
        world.Close();
        await Assert.ThrowsAsync<ObjectDisposedException>(() => look.WaitAsync(TimeSpan.FromSeconds(20)));
    }

    /// <summary>Draws what came last.</summary>
    private sealed class Newest : Random
    {
        public override int Next(int maxValue) => maxValue - 1;
    }
}
