namespace Throttled.Projections.Tests.Model;

public sealed class ProjectionStartTests
{
    [Fact]
    public void A_start_says_what_it_is()
    {
        Assert.Equal("the first event", ProjectionStart.FirstEvent.ToString());
        Assert.Equal("now", ProjectionStart.Now.ToString());
        Assert.Equal("after 1042", ProjectionStart.After(1_042).ToString());
        Assert.Equal("after 0-511:1,512-1023:2", ProjectionStart.After(ShardedPosition.Parse("0-511:1,512-1023:2")).ToString());
        Assert.Equal("at 2026-03-01T08:00:00.0000000Z", ProjectionStart.At(new(2026, 3, 1, 9, 0, 0, TimeSpan.FromHours(1))).ToString());
        Assert.Equal(ProjectionStart.FirstEvent, ProjectionStart.After(0));
    }

    [Fact]
    public void A_negative_ordering_and_no_offset_are_refused()
    {
        Assert.Throws<ArgumentOutOfRangeException>(() => ProjectionStart.After(-1));
        Assert.Throws<ArgumentNullException>(() => ProjectionStart.After(null!));
    }
}
