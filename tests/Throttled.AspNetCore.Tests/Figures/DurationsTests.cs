using Throttled.AspNetCore.Figures;

namespace Throttled.AspNetCore.Tests.Status;

/// <summary>Durations between two reads.</summary>
public sealed class DurationsTests
{
    [Theory]
    [InlineData(0)]
    [InlineData(0.00005)]
    [InlineData(0.0123)]
    [InlineData(4.5)]
    [InlineData(90)]
    public void A_duration_comes_back_to_a_fifth(double seconds)
    {
        var durations = new Durations();
        durations.Record(seconds);
        var summary = durations.Take()!;
        Assert.Equal(1, summary.Count);
        Assert.InRange(summary.Median, seconds, Math.Max(0.0001, seconds * 1.2));
        Assert.Equal(summary.Median, summary.P99);
    }

    [Fact]
    public void Rare_slow_ones_show_in_the_99th_percentile_only()
    {
        var durations = new Durations();
        for (var i = 0; i < 97; i++)
            durations.Record(0.001);
        for (var i = 0; i < 3; i++)
            durations.Record(1);
        var summary = durations.Take()!;
        Assert.InRange(summary.Median, 0.001, 0.0012);
        Assert.InRange(summary.P99, 1, 1.2);
    }

    [Fact]
    public void A_read_has_only_what_came_since_the_last_one()
    {
        var durations = new Durations();
        durations.Record(double.MaxValue);
        Assert.NotNull(durations.Take());
        Assert.Null(durations.Take());
    }
}
