using Throttled.Journal.Queries;

namespace Throttled.Journal.Tests.InOrder;

public sealed class ScanTests
{
    [Theory]
    [InlineData(Kind.Tag)]
    [InlineData(Kind.Slice)]
    public void A_query_without_matching_events_reports_how_far_it_has_read(Kind kind)
    {
        using var world = new World();
        world.Journal.Append("q", 1, 500, 10, "blue");
        var reader = world.Open(kind);
        Assert.Null(((OrderedFeed)reader.Feed).Scanned);
        world.Advance(TimeSpan.FromSeconds(1));
        Assert.Equal(new Scan(500, IsFollowing: true), ((OrderedFeed)reader.Feed).Scanned);
        world.Journal.Append("q", 501, 503, 10, "blue");
        world.Advance(TimeSpan.FromSeconds(1));
        Assert.Equal(new Scan(503, IsFollowing: true), ((OrderedFeed)reader.Feed).Scanned);
        Assert.Empty(reader.Orderings);
    }
}
