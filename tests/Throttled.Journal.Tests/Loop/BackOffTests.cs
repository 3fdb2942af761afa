using Throttled.Journal.Loop;

namespace Throttled.Journal.Tests.Loop;

public sealed class BackOffTests
{
    [Theory]
    [InlineData(0, 0.0, 50)]
    [InlineData(0, 1.0, 100)]
    [InlineData(1, 1.0, 200)]
    [InlineData(5, 1.0, 3200)]
    [InlineData(6, 1.0, 5000)]
    [InlineData(6, 0.0, 2500)]
    [InlineData(int.MaxValue, 1.0, 5000)]
    public void It_doubles_up_to_five_seconds_and_half_of_it_is_random(int attempt, double random, int milliseconds) =>
        Assert.Equal(TimeSpan.FromMilliseconds(milliseconds), BackOff.Delay(attempt, random));
}
