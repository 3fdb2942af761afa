using Throttled.Journal.Loop;
using Throttled.Journal.Permits;

namespace Throttled.Journal.Tests.Permits;

public sealed class PermitCeilingTests : IDisposable
{
    private readonly FakeClock _clock = new();
    private readonly ManualScheduler _scheduler = new();
    private readonly PermitCeiling _ceiling = new();
    private readonly List<StatementSlot> _granted = [];
    private readonly LocalPermits _permits;

    public PermitCeilingTests() => _permits = new(
        new(_clock, _scheduler, defect => Assert.Fail(defect.ToString())), new() { MaxConcurrentQueries = 10 }, _ceiling);

    public void Dispose() => _permits.Dispose();

    [Fact]
    public void At_first_no_statement_may_start()
    {
        Request(1);
        Assert.Empty(_granted);
        Assert.Equal(0, _ceiling.Held);
    }

    [Fact]
    public void A_higher_ceiling_grants_permits_when_the_limit_is_applied()
    {
        Request(5);
        _ceiling.Set(3, 0);
        _permits.SetLimit(3);
        Assert.Equal(3, _granted.Count);
        Assert.Equal(3, _ceiling.Held);
    }

    [Fact]
    public void A_lower_ceiling_counts_before_the_limit_is_applied()
    {
        _ceiling.Set(3, 0);
        Request(5);
        _ceiling.Set(1, 0);
        _permits.Return(_granted[0]);
        _permits.Return(_granted[1]);
        Assert.Equal(3, _granted.Count);
        Assert.Equal(1, _ceiling.Held);
        _permits.Return(_granted[2]);
        Assert.Equal(4, _granted.Count);
    }

    [Fact]
    public void The_permits_of_an_engine_that_has_ended_are_forgotten()
    {
        _ceiling.Set(3, 0);
        Request(3);
        var next = _ceiling.Open();
        Assert.Equal(0, _ceiling.Held);
        Assert.True(next.TryTake());
        _permits.Return(_granted[0]);
        Assert.Equal(1, _ceiling.Held);
    }

    [Fact]
    public void A_rate_that_is_set_later_limits_the_starts_and_can_be_removed()
    {
        _ceiling.Set(10, 10);
        _permits.SetRate(10, 2);
        Request(5);
        Assert.Equal(2, _granted.Count);
        _permits.SetRate(0, 0);
        Assert.Equal(5, _granted.Count);
    }

    [Fact]
    public void Each_change_is_announced_once()
    {
        var changes = 0;
        _ceiling.OnChange(() => changes++);
        _ceiling.Set(3, 0);
        _ceiling.Set(3, 0);
        _ceiling.Set(3, 5);
        Assert.Equal(2, changes);
    }

    private void Request(int count)
    {
        for (var i = 0; i < count; i++)
            _permits.Request(new(_granted.Add));
    }
}
