using Throttled.Tool.Projections;

namespace Throttled.Tool.Tests.Projections;

public sealed class LagTrendTests
{
    private readonly LagTrend _trend = new();

    [Fact]
    public void The_first_look_has_no_trend() => Assert.Null(Take(0, 100));

    [Theory]
    [InlineData(50, "the lag falls by 5.0 events/s")]
    [InlineData(100, "the lag is the same as 10 s ago")]
    [InlineData(1_100, "the lag grows by 100.0 events/s")]
    public void A_look_is_compared_with_the_first_one(long lag, string text)
    {
        Take(0, 100);
        Assert.Equal(text, Take(10, lag));
    }

    [Fact]
    public void Looks_that_are_older_than_a_minute_do_not_count()
    {
        Take(0, 1_000_000);
        Take(30, 600);
        Assert.Equal("the lag falls by 10.0 events/s", Take(90, 0));
    }

    [Fact]
    public void Each_version_has_its_own_trend()
    {
        Take(0, 100);
        Assert.Null(_trend.Take("other", 7, TimeSpan.FromSeconds(1)));
        Assert.Equal("the lag is the same as 2 s ago", Take(2, 100));
    }

    [Fact]
    public void A_trend_begins_again_after_the_lag_was_not_known()
    {
        Take(0, 100);
        Assert.Null(Take(1, null));
        Assert.Null(Take(2, 50));
        Assert.Equal("the lag falls by 25.0 events/s", Take(4, 0));
    }

    private string? Take(int second, long? lag) => _trend.Take("totals", lag, TimeSpan.FromSeconds(second));
}
