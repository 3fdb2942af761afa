namespace Throttled.Journal.Tests.Model;

public sealed class ShardedPositionTests
{
    private static readonly ShardMap Two = ShardMap.Even(2);

    // One id for each shard.
    private static readonly string[] Ids =
        [.. Enumerable.Range(0, 2).Select(shard => TestEvents.Ids("p", 100).First(id => Two.ShardOf(id) == shard))];

    [Fact]
    public void It_begins_at_the_first_event_of_each_shard() =>
        Assert.Equal("0-511:0,512-1023:0", ShardedPosition.At(Two).ToString());

    [Fact]
    public void An_event_advances_only_its_own_shard()
    {
        var first = ShardedPosition.At(Two).After(Event(0, 7));
        var second = first.After(Event(1, 3));
        var third = second.After(Event(0, 8));
        Assert.Equal(["0-511:7,512-1023:0", "0-511:7,512-1023:3", "0-511:8,512-1023:3"], new[] { first, second, third }.Select(each => each.ToString()));
    }

    [Fact]
    public void Advancing_a_position_does_not_change_earlier_ones()
    {
        var random = new Random(1);
        var map = ShardMap.Even(5);
        var ids = TestEvents.Ids("p", 50);
        var expected = new long[5];
        List<(ShardedPosition Position, string Text)> all = [(ShardedPosition.At(map), ShardedPosition.At(map).ToString())];
        for (var i = 1; i < 500; i++)
        {
            var id = ids[random.Next(ids.Length)];
            expected[map.ShardOf(id)] = i;
            var next = all[^1].Position.After(TestEvents.One(id, 1).At(i));
            all.Add((next, string.Join(',', expected.Select((ordering, shard) => FormattableString.Invariant($"{map[shard]}:{ordering}")))));
        }
        Assert.All(all, each => Assert.Equal(each.Text, each.Position.ToString()));
    }

    [Theory]
    [InlineData(7)]
    [InlineData(6)]
    public void An_older_event_changes_nothing(long ordering)
    {
        var position = ShardedPosition.At(Two, 7);
        Assert.Same(position, position.After(Event(1, ordering)));
    }

    [Theory]
    [InlineData("0-511:1042,512-1023:77")]
    [InlineData("512-1023:77,0-511:1042")]
    [InlineData("0-1023:9223372036854775807")]
    [InlineData("0-0:0,1-1023:5")]
    public void Its_text_is_read_back(string text)
    {
        var position = ShardedPosition.Parse(text);
        Assert.Equal(text, position.ToString());
        Assert.Equal(position, ShardedPosition.Parse(position.ToString()));
        Assert.Equal(position, ShardedPosition.Parse($" {text}\n"));
    }

    [Theory]
    [InlineData("")]
    [InlineData("42")]
    [InlineData("0-1023")]
    [InlineData("0-1023:")]
    [InlineData("0-1023:-1")]
    [InlineData("0-1023:1.5")]
    [InlineData("0-1023: 1")]
    [InlineData("0-1023:1:2")]
    [InlineData("0-1023:9223372036854775808")]
    [InlineData("0-511:1")]
    [InlineData("0-511:1,500-1023:1")]
    [InlineData("0-511:1,512-1023:1,")]
    [InlineData("511-0:1,512-1023:1")]
    [InlineData("0-511:1;512-1023:1")]
    public void An_invalid_text_is_refused_with_the_expected_form(string text)
    {
        var error = Assert.Throws<FormatException>(() => ShardedPosition.Parse(text));
        Assert.StartsWith($"\"{text}\" is no position of a sharded journal; it must be like 0-511:1042,512-1023:77", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void The_missing_part_of_a_text_is_named() =>
        Assert.Contains("slice 511 is in no shard", Assert.Throws<FormatException>(() => ShardedPosition.Parse("0-510:1,512-1023:1")).Message, StringComparison.Ordinal);

    [Fact]
    public void An_ordering_below_the_first_is_refused() =>
        Assert.Throws<ArgumentOutOfRangeException>(() => ShardedPosition.At(Two, -1));

    [Theory]
    [InlineData("0-511:5,512-1023:5", "0-511:5,512-1023:5", 0)]
    [InlineData("0-511:5,512-1023:5", "0-511:6,512-1023:5", -1)]
    [InlineData("0-511:5,512-1023:7", "0-511:5,512-1023:5", 1)]
    [InlineData("0-511:5,512-1023:7", "0-511:6,512-1023:5", null)]
    [InlineData("0-511:5,512-1023:5", "512-1023:5,0-511:5", null)]
    [InlineData("0-511:5,512-1023:5", "0-1023:5", null)]
    public void A_position_is_ahead_if_it_has_read_all_that_the_other_has(string one, string other, int? expected)
    {
        var (first, second) = (ShardedPosition.Parse(one), ShardedPosition.Parse(other));
        Assert.Equal(expected, first.CompareWith(second));
        Assert.Equal(-expected, second.CompareWith(first));
        Assert.Equal(expected == 0, first.Equals(second));
        if (expected == 0)
            Assert.Equal(first.GetHashCode(), second.GetHashCode());
    }

    [Fact]
    public void Positions_with_equal_orderings_are_equal()
    {
        var one = ShardedPosition.At(Two).After(Event(0, 4)).After(Event(1, 9));
        var other = ShardedPosition.At(Two).After(Event(1, 9)).After(Event(0, 4));
        Assert.Equal(one, other);
        Assert.Equal(one.GetHashCode(), other.GetHashCode());
    }

    [Theory]
    [InlineData("0-1023:42", "0-511,512-1023", "0-511:42,512-1023:42")]
    [InlineData("0-511:3,512-1023:8", "0-255,256-511,512-1023", "0-255:3,256-511:3,512-1023:8")]
    [InlineData("0-511:3,512-1023:8", "512-1023,0-511", "512-1023:8,0-511:3")]
    public void It_can_be_carried_to_shards_that_split_its_own(string text, string map, string expected) =>
        Assert.Equal(expected, ShardedPosition.Parse(text).On(ShardMap.Parse(map)).ToString());

    [Theory]
    [InlineData("0-511:3,512-1023:8", "0-1023")]
    [InlineData("0-511:3,512-1023:8", "0-510,511-1023")]
    [InlineData("0-99:3,100-511:4,512-1023:8", "0-511,512-1023")]
    public void It_cannot_be_carried_to_a_shard_with_slices_of_several(string text, string map)
    {
        var position = ShardedPosition.Parse(text);
        var error = Assert.Throws<ArgumentException>(() => position.On(ShardMap.Parse(map)));
        Assert.Contains("has events of several shards of the position", error.Message, StringComparison.Ordinal);
        Assert.Contains("Begin at the start, or open the journal with the shards of the position", error.Message, StringComparison.Ordinal);
    }

    private static JournalEvent Event(int shard, long ordering) => TestEvents.One(Ids[shard], 1).At(ordering);
}
