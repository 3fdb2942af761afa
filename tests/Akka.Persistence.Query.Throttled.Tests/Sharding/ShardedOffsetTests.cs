namespace Akka.Persistence.Query.Throttled.Tests.Sharding;

public sealed class ShardedOffsetTests
{
    [Theory]
    [InlineData("0-511:1,512-1023:2", "0-511:1,512-1023:2", 0)]
    [InlineData("0-511:1,512-1023:2", "0-511:1,512-1023:3", -1)]
    [InlineData("0-511:4,512-1023:2", "0-511:1,512-1023:2", 1)]
    public void Offsets_are_compared_shard_by_shard(string one, string other, int order)
    {
        Offset left = ShardedOffset.Parse(one);
        Assert.Equal(order, Math.Sign(left.CompareTo(ShardedOffset.Parse(other))));
        Assert.Equal(order == 0, left.Equals(ShardedOffset.Parse(other)));
    }

    [Theory]
    [InlineData("0-511:1,512-1023:3", "Can't compare offset 0-511:2,512-1023:2 to offset 0-511:1,512-1023:3: each is ahead of the other in some shard.")]
    [InlineData("0-1023:2", "Can't compare offset 0-511:2,512-1023:2 to offset 0-1023:2: their journals are divided among shards in different ways.")]
    public void Offsets_of_which_neither_is_first_cannot_be_compared(string other, string message)
    {
        var error = Assert.Throws<InvalidOperationException>(() => ShardedOffset.Parse("0-511:2,512-1023:2").CompareTo(ShardedOffset.Parse(other)));
        Assert.Equal(message, error.Message);
    }

    [Fact]
    public void A_comparison_with_another_type_fails_as_in_Akka()
    {
        var offset = ShardedOffset.Parse("0-511:2,512-1023:2");
        Offset[] others = [Offset.Sequence(2), Offset.NoOffset(), Offset.TimeBasedUuid(Guid.Empty)];
        Assert.All(others, other => Assert.Equal(
            $"Can't compare offset of type {typeof(ShardedOffset)} to offset of type {other.GetType()}",
            Assert.Throws<InvalidOperationException>(() => offset.CompareTo(other)).Message));
        Assert.EndsWith("of type null", Assert.Throws<InvalidOperationException>(() => offset.CompareTo(null)).Message, StringComparison.Ordinal);
        Assert.False(offset.Equals(Offset.Sequence(2)));
    }

    [Fact]
    public void The_text_of_an_offset_is_that_of_the_position_and_can_be_parsed()
    {
        var position = ShardedPosition.Parse("0-255:17,256-1023:9");
        var offset = new ShardedOffset(position);
        Assert.Equal("0-255:17,256-1023:9", offset.ToString());
        var back = ShardedOffset.Parse(offset.ToString());
        Assert.Equal(offset, back);
        Assert.Equal(offset.GetHashCode(), back.GetHashCode());
        Assert.Same(position, offset.Position);
    }

    [Theory]
    [InlineData("")]
    [InlineData("42")]
    [InlineData("0-511:1")]
    public void A_text_that_is_no_offset_is_refused(string text) => Assert.Throws<FormatException>(() => ShardedOffset.Parse(text));
}
