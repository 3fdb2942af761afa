namespace Throttled.Journal.Tests.Model;

public sealed class DurationTextTests
{
    [Theory]
    [InlineData(0, "0 s")]
    [InlineData(0.5, "0.5 ms")]
    [InlineData(1, "1 ms")]
    [InlineData(1_500, "1500 ms")]
    [InlineData(-1_000, "-1 s")]
    [InlineData(90_000, "90 s")]
    [InlineData(120_000, "2 min")]
    [InlineData(3_600_000, "1 h")]
    [InlineData(86_400_000, "1 d")]
    public void A_duration_is_written_in_its_largest_whole_unit(double milliseconds, string text) =>
        Assert.Equal(text, DurationText.Of(TimeSpan.FromMilliseconds(milliseconds)));
}
