using Throttled.Journal.Loop;
using Throttled.Journal.Permits;

namespace Throttled.Journal.Tests.Permits;

public sealed class LocalPermitsTests : IDisposable
{
    private readonly FakeClock _clock = new();
    private readonly ManualScheduler _scheduler = new();
    private readonly JournalLoop _loop;
    private readonly List<StatementSlot> _granted = [];
    private LocalPermits? _permits;

    public LocalPermitsTests() => _loop = new(_clock, _scheduler, defect => Assert.Fail(defect.ToString()));

    public void Dispose() => _permits?.Dispose();

    [Fact]
    public void Without_a_rate_only_the_number_of_permits_limits()
    {
        Create(new() { MaxConcurrentQueries = 3 });
        Request(5);
        Assert.Equal(3, _granted.Count);
        _permits!.Return(_granted[0]);
        Assert.Equal(4, _granted.Count);
        Assert.Null(_clock.NextRing);
    }

    [Fact]
    public void A_rate_grants_the_burst_at_once_and_the_rest_at_its_rate()
    {
        Create(new() { MaxConcurrentQueries = 100, MaxQueriesPerSecond = 10, Burst = 3 });
        Request(10);
        Assert.Equal(3, _granted.Count);
        Advance(TimeSpan.FromMilliseconds(100));
        Assert.Equal(4, _granted.Count);
        Advance(TimeSpan.FromMilliseconds(400));
        Assert.Equal(8, _granted.Count);
    }

    [Fact]
    public void A_second_grants_the_full_rate_though_timers_count_milliseconds()
    {
        Create(new() { MaxConcurrentQueries = 100_000, MaxQueriesPerSecond = 3000, Burst = 100 });
        Request(5000);
        for (var i = 0; i < 1000; i++)
            Advance(TimeSpan.FromMilliseconds(1));
        Assert.InRange(_granted.Count, 3050, 3110);
    }

    [Fact]
    public void A_pause_fills_the_bucket_no_higher_than_the_burst()
    {
        Create(new() { MaxConcurrentQueries = 100, MaxQueriesPerSecond = 10, Burst = 2 });
        Request(2);
        Advance(TimeSpan.FromHours(1));
        Request(5);
        Assert.Equal(4, _granted.Count);
    }

    [Fact]
    public void No_timer_is_set_while_no_request_waits()
    {
        Create(new() { MaxConcurrentQueries = 100, MaxQueriesPerSecond = 10, Burst = 2 });
        Request(2);
        Assert.Null(_clock.NextRing);
    }

    [Fact]
    public void A_raised_limit_grants_waiting_requests()
    {
        Create(new() { MaxConcurrentQueries = 1 });
        Request(4);
        _permits!.SetLimit(3);
        Assert.Equal(3, _granted.Count);
    }

    [Fact]
    public void A_raised_limit_after_a_pause_grants_no_more_than_the_burst()
    {
        Create(new() { MaxConcurrentQueries = 1, MaxQueriesPerSecond = 10, Burst = 3 });
        Request(10);
        Advance(TimeSpan.FromHours(1));
        _permits!.SetLimit(100);
        Assert.Equal(1 + 3, _granted.Count);
    }

    [Fact]
    public void A_lowered_limit_applies_to_tokens_that_are_due_already()
    {
        Create(new() { MaxConcurrentQueries = 2, MaxQueriesPerSecond = 10, Burst = 1 });
        Request(3);
        _clock.Advance(TimeSpan.FromSeconds(1));
        _permits!.SetLimit(1);
        Assert.Single(_granted);
    }

    private void Create(JournalOptions options) => _permits = new(_loop, options);

    private void Request(int count)
    {
        for (var i = 0; i < count; i++)
            _permits!.Request(new(_granted.Add));
    }

    private void Advance(TimeSpan time)
    {
        var end = _clock.Now + time;
        while (_clock.NextRing is { } ring && ring <= end)
        {
            _clock.Advance(ring - _clock.Now);
            Settle();
        }
        _clock.Advance(end - _clock.Now);
        Settle();
    }

    private void Settle()
    {
        while (_scheduler.Step())
        {
        }
    }
}
