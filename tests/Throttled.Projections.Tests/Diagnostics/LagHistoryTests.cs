using Throttled.Projections.Diagnostics;
using Throttled.Testing.Scripted;

namespace Throttled.Projections.Tests.Diagnostics;

public sealed class LagHistoryTests
{
    private readonly FakeClock _clock = new();
    private readonly LagHistory _lag;

    public LagHistoryTests() => _lag = new(_clock);

    [Fact]
    public void A_read_model_that_has_caught_up_is_not_behind()
    {
        Observe(10, 10);
        Observe(12, 10);
        Is(0, 0);
    }

    [Fact]
    public void The_lag_is_the_time_since_the_journal_end_first_passed_the_offset()
    {
        Observe(10, 10, seconds: 3600);
        Observe(10, 20, seconds: 5);
        Observe(10, 30, seconds: 5);
        Is(10, 10);
        Observe(19, 30, seconds: 2);
        Is(12, 2);
        Observe(20, 30, seconds: 1);
        Is(8, 1);
        Observe(30, 30, seconds: 1);
        Is(0, 0);
    }

    [Fact]
    public void The_first_event_after_a_quiet_hour_is_not_late()
    {
        Observe(10, 10, seconds: 3600);
        Observe(10, 11);
        Is(0, 0);
    }

    [Fact]
    public void A_reset_is_behind_from_then_on()
    {
        Observe(30, 30, seconds: 60);
        Observe(0, 30, seconds: 4);
        Is(4, 4);
    }

    [Fact]
    public void A_long_history_stays_small_and_nearly_exact()
    {
        for (var end = 1; end <= 5_000; end++)
            Observe(0, end, seconds: 1);
        Is(5_000, 5_000);
        Observe(2_500, 5_000);
        Assert.InRange(_lag.Time.TotalSeconds, 2_450, 2_500);
    }

    [Fact]
    public void A_journal_end_that_went_back_to_the_offset_is_no_lag()
    {
        Observe(10, 20, seconds: 5);
        Observe(10, 10, seconds: 5);
        Is(0, 0);
    }

    [Fact]
    public void A_shard_that_is_stuck_is_not_hidden_by_a_busy_one()
    {
        var lags = new ShardLags(_clock, 2);
        for (var busy = 0; busy < 100; busy++)
        {
            lags.Observe([(busy, busy), (900, 1_000)]);
            _clock.Advance(TimeSpan.FromSeconds(1));
        }
        Assert.Equal((100, 100), (lags.Time.TotalSeconds, lags.SameFor.TotalSeconds));
    }

    [Fact]
    public void A_shard_whose_lanes_run_elsewhere_has_no_lag_here()
    {
        var lags = new ShardLags(_clock, 2);
        lags.Observe([(10, 10), (900, 1_000)]);
        _clock.Advance(TimeSpan.FromSeconds(5));
        lags.Observe([(10, 10), null]);
        Assert.Equal((TimeSpan.Zero, TimeSpan.Zero), (lags.Time, lags.SameFor));
        lags.Observe([(10, 10), (900, 1_000)]);
        _clock.Advance(TimeSpan.FromSeconds(1));
        Assert.Equal((1, 1), (lags.Time.TotalSeconds, lags.SameFor.TotalSeconds));
    }

    private void Observe(long offset, long end, int seconds = 0)
    {
        _lag.Observe(offset, end);
        _clock.Advance(TimeSpan.FromSeconds(seconds));
    }

    private void Is(int lag, int sameFor) =>
        Assert.Equal((TimeSpan.FromSeconds(lag), TimeSpan.FromSeconds(sameFor)), (_lag.Time, _lag.SameFor));
}
