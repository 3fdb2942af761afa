namespace Throttled.Journal.Tests.Model;

public sealed class ShardMapTests
{
    [Fact]
    public void Each_slice_is_in_one_shard_however_many_there_are()
    {
        for (var count = 1; count <= JournalSlices.Count; count++)
        {
            var map = ShardMap.Even(count);
            Assert.Equal(count, map.Count);
            Assert.Equal(JournalSlices.Count, Enumerable.Range(0, count).Sum(shard => map[shard].Count));
            Assert.DoesNotContain(Enumerable.Range(0, JournalSlices.Count), slice => !map[map.ShardOf(slice)].Contains(slice));
        }
    }

    [Fact]
    public void Shards_of_an_even_map_differ_by_at_most_one_slice()
    {
        for (var count = 1; count <= JournalSlices.Count; count++)
        {
            var map = ShardMap.Even(count);
            var sizes = Enumerable.Range(0, count).Select(shard => map[shard].Count).ToList();
            Assert.InRange(sizes.Max() - sizes.Min(), 0, 1);
        }
    }

    [Theory]
    [InlineData(0)]
    [InlineData(-1)]
    [InlineData(1025)]
    public void Zero_shards_and_more_shards_than_slices_are_refused(int count) =>
        Assert.Throws<ArgumentOutOfRangeException>(() => ShardMap.Even(count));

    [Theory]
    [InlineData("0-1023", 1)]
    [InlineData("0-511,512-1023", 2)]
    [InlineData("512-1023,0-511", 2)]
    [InlineData("1-1023,0-0", 2)]
    public void A_map_is_read_as_it_is_written(string text, int count)
    {
        var map = ShardMap.Parse(text);
        Assert.Equal(count, map.Count);
        Assert.Equal(text, map.ToString());
        Assert.Equal(map, ShardMap.Parse(map.ToString()));
    }

    [Theory]
    [InlineData("0, 1-1023", "0-0,1-1023")]
    [InlineData(" 0 - 511 , 512 - 1023 ", "0-511,512-1023")]
    public void A_range_may_be_one_slice_and_spaces_are_ignored(string text, string same) =>
        Assert.Equal(ShardMap.Parse(same), ShardMap.Parse(text));

    [Fact]
    public void The_same_ranges_in_another_order_are_another_map()
    {
        var (one, other) = (ShardMap.Parse("0-511,512-1023"), ShardMap.Parse("512-1023,0-511"));
        Assert.NotEqual(one, other);
        Assert.Equal((0, 1), (one.ShardOf(0), other.ShardOf(0)));
    }

    [Theory]
    [InlineData("0-510,512-1023", "slice 511 is in no shard")]
    [InlineData("1-1023", "slice 0 is in no shard")]
    [InlineData("0-1022", "slice 1023 is in no shard")]
    [InlineData("0-512,512-1023", "slice 512 is in the shards 0 and 1")]
    [InlineData("512-1023,0-511,7", "slice 7 is in the shards 1 and 2")]
    [InlineData("0-1023,0-1023", "slice 0 is in the shards 0 and 1")]
    public void A_gap_and_an_overlap_are_refused_and_the_slice_is_named(string text, string part)
    {
        var error = Assert.Throws<ArgumentException>(() => ShardMap.Parse(text));
        Assert.Contains(part, error.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("")]
    [InlineData("x")]
    [InlineData("0-")]
    [InlineData("-5")]
    [InlineData("0-1024")]
    [InlineData("0-511,,512-1023")]
    [InlineData("0-511;512-1023")]
    [InlineData("0-511-1023")]
    [InlineData("+0-1023")]
    [InlineData("0-99999999999")]
    [InlineData("１-1023")]
    public void A_text_that_is_no_range_of_slices_is_refused(string text)
    {
        var error = Assert.Throws<ArgumentException>(() => ShardMap.Parse(text));
        Assert.Contains("they must be a range from 0 to 1023, like 0-255", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void A_range_that_goes_back_is_refused() =>
        Assert.Contains("the first must not be above the last", Assert.Throws<ArgumentException>(() => ShardMap.Parse("511-0,512-1023")).Message, StringComparison.Ordinal);

    [Fact]
    public void A_persistence_id_is_in_the_shard_of_its_slice()
    {
        var map = ShardMap.Parse("700-1023,0-99,100-699");
        string[] ids = ["", "a", "ä", "注文-1", "заказ", "😀-7", "p-1", .. Enumerable.Range(0, 500).Select(i => $"order-{i}")];
        foreach (var id in ids)
            Assert.True(map[map.ShardOf(id)].Contains(JournalSlices.Of(id)), $"'{id}' is in the shard {map.ShardOf(id)}.");
    }

    [Theory]
    [InlineData(0, 1023, new[] { 0, 1, 2 })]
    [InlineData(0, 99, new[] { 1 })]
    [InlineData(99, 100, new[] { 1, 2 })]
    [InlineData(699, 700, new[] { 0, 2 })]
    [InlineData(1023, 1023, new[] { 0 })]
    public void Slices_are_read_from_the_shards_that_have_some_of_them(int first, int last, int[] shards) =>
        Assert.Equal(shards, ShardMap.Parse("700-1023,0-99,100-699").ShardsOf(new(first, last)));
}
