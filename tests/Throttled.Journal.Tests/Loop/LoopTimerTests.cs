using Throttled.Journal.Loop;

namespace Throttled.Journal.Tests.Loop;

public sealed class LoopTimerTests : IDisposable
{
    private readonly FakeClock _clock = new();
    private readonly ManualScheduler _scheduler = new();
    private readonly LoopTimer _timer;
    private readonly List<TimeSpan> _rings = [];

    public LoopTimerTests() =>
        _timer = new(new JournalLoop(_clock, _scheduler, defect => Assert.Fail(defect.ToString())), _rings.Add);

    public void Dispose() => _timer.Dispose();

    [Fact]
    public void It_fires_once_when_its_time_has_come()
    {
        Set(100);
        Advance(99);
        Assert.Empty(_rings);
        Advance(1);
        Advance(1000);
        Assert.Equal([TimeSpan.FromMilliseconds(100)], _rings);
        Assert.False(_timer.IsSet);
    }

    [Fact]
    public void A_later_setting_replaces_the_first()
    {
        Set(100);
        Set(300);
        Advance(200);
        Assert.Empty(_rings);
        Advance(100);
        Assert.Single(_rings);
    }

    [Fact]
    public void A_pending_callback_does_not_fire_for_a_later_setting()
    {
        Set(100);
        _clock.Advance(TimeSpan.FromMilliseconds(100));
        Set(50);
        Advance(0);
        Assert.Empty(_rings);
        Advance(50);
        Assert.Single(_rings);
    }

    [Fact]
    public void If_cancelled_it_does_not_fire_even_with_a_pending_callback()
    {
        Set(100);
        _clock.Advance(TimeSpan.FromMilliseconds(100));
        _timer.Cancel();
        Advance(1000);
        Assert.Empty(_rings);
    }

    [Fact]
    public void A_time_that_has_passed_fires_at_once()
    {
        Set(-5);
        Advance(0);
        Assert.Single(_rings);
    }

    [Fact]
    public void Part_of_a_millisecond_does_not_fire_it_early()
    {
        _timer.Set(TimeSpan.FromTicks(15_000));
        Advance(1);
        Assert.Empty(_rings);
        Advance(1);
        Assert.Single(_rings);
    }

    [Fact]
    public void If_disposed_it_does_not_fire()
    {
        Set(100);
        _timer.Dispose();
        Advance(1000);
        Assert.Empty(_rings);
    }

    private void Set(int milliseconds) => _timer.Set(TimeSpan.FromMilliseconds(milliseconds));

    private void Advance(int milliseconds)
    {
        _clock.Advance(TimeSpan.FromMilliseconds(milliseconds));
        while (_scheduler.Step())
        {
        }
    }
}
