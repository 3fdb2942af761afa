namespace Throttled.Journal.PostgreSql.Tests;

public sealed class StandbyTransactionsTests
{
    private static readonly TimeSpan Grace = TimeSpan.FromSeconds(10);

    private readonly SteppedClock _clock = new();
    private readonly StandbyTransactions _transactions;

    public StandbyTransactionsTests() => _transactions = new(Grace, _clock);

    [Fact]
    public void A_transaction_has_ended_when_it_is_not_listed_after_the_grace_period()
    {
        var seen = Poll(oldest: 100, next: 110);
        Assert.True(IsOpenAfter(seen, seconds: 8, oldest: 110, next: 120));
        Assert.False(IsOpenAfter(seen, seconds: 4, oldest: 130, next: 130));
    }

    [Fact]
    public void A_transaction_that_stays_open_counts_after_the_grace_period()
    {
        var seen = Poll(oldest: 100, next: 110);
        Assert.True(IsOpenAfter(seen, seconds: 60, oldest: 109, next: 500));
        Assert.False(IsOpenAfter(seen, seconds: 1, oldest: 500, next: 510));
    }

    [Fact]
    public void A_transaction_that_is_open_for_an_hour_leaves_few_names() => LeavesFewNames(TimeSpan.FromHours(1));

    [Fact]
    [Trait("Category", "Long")]
    public void A_transaction_that_is_open_for_a_day_leaves_few_names() => LeavesFewNames(TimeSpan.FromDays(1));

    private void LeavesFewNames(TimeSpan open)
    {
        var seen = Poll(oldest: 100, next: 110);
        for (var second = 0; second < open.TotalSeconds; second++)
        {
            _clock.Step(TimeSpan.FromSeconds(1));
            Assert.InRange(Poll(oldest: 109, next: 110 + second).Count, 1, 700);
        }
        Assert.False(IsOpenAfter(seen, seconds: 1, oldest: 100_000, next: 100_000));
    }

    [Fact]
    public void A_transaction_that_first_writes_within_the_grace_period_counts_after_it()
    {
        var seen = Poll(oldest: 110, next: 110);
        // It drew its ordering before that poll, and wrote as transaction 112.
        Assert.True(IsOpenAfter(seen, seconds: 5, oldest: 112, next: 120));
        Assert.True(IsOpenAfter(seen, seconds: 60, oldest: 112, next: 500));
        Assert.False(IsOpenAfter(seen, seconds: 1, oldest: 500, next: 500));
    }

    [Fact]
    public void The_grace_period_stops_while_the_standby_lags_and_does_not_replay()
    {
        var seen = Poll(oldest: 100, next: 110);
        Assert.True(IsOpenAfter(seen, seconds: 60, oldest: 110, next: 110, isLevel: false));
        Assert.False(IsOpenAfter(seen, seconds: 12, oldest: 110, next: 110));
    }

    [Fact]
    public void The_grace_period_passes_while_a_lagging_standby_replays()
    {
        var seen = Poll(oldest: 100, next: 110);
        for (var second = 1; second <= 12; second++)
        {
            _clock.Step(TimeSpan.FromSeconds(1));
            _transactions.Observe(new(110, 110, ReplayedTo: 1_000 + second, IsLevel: false));
        }
        Assert.False(seen.Overlaps(_transactions.Observe(new(110, 110, 2_000, IsLevel: false))));
    }

    [Fact]
    public void A_long_time_without_a_poll_does_not_count_as_replayed()
    {
        var seen = Poll(oldest: 100, next: 110);
        _clock.Step(TimeSpan.FromHours(1));
        Assert.True(seen.Overlaps(Poll(oldest: 110, next: 110)));
    }

    [Fact]
    public void An_idle_standby_keeps_few_names()
    {
        for (var second = 0; second < 1_000; second++)
        {
            _clock.Step(TimeSpan.FromSeconds(1));
            Assert.InRange(Poll(oldest: 100, next: 100).Count, 1, 12);
        }
    }

    private IReadOnlySet<string> Poll(long oldest, long next, bool isLevel = true) => _transactions.Observe(new(oldest, next, 1_000, isLevel));

    private bool IsOpenAfter(IReadOnlySet<string> seen, int seconds, long oldest, long next, bool isLevel = true)
    {
        var now = seen;
        for (; seconds > 0; seconds--)
        {
            _clock.Step(TimeSpan.FromSeconds(1));
            now = Poll(oldest, next, isLevel);
        }
        return seen.Overlaps(now);
    }

    private sealed class SteppedClock : TimeProvider
    {
        private long _ticks;

        public override long TimestampFrequency => TimeSpan.TicksPerSecond;

        public override long GetTimestamp() => _ticks;

        internal void Step(TimeSpan time) => _ticks += time.Ticks;
    }
}
