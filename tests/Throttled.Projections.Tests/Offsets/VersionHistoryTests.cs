using Throttled.Projections.Offsets;

namespace Throttled.Projections.Tests.Offsets;

public sealed class VersionHistoryTests
{
    [Theory]
    [InlineData("", "0-1023:5", "0-1023:5")]
    [InlineData("0-1023:5", "", "0-1023:5")]
    [InlineData("0-511:5,512-1023:9", "0-1023:7", "0-511:7,512-1023:9")]
    [InlineData("0-99:5", "50-199:3", "0-99:5,100-199:3")]
    public void Each_slice_keeps_the_higher_of_both_orderings(string history, string handled, string expected) =>
        Assert.Equal(expected, VersionHistory.Parse("v", history).After(VersionHistory.Parse("v", handled).Ends).Text);

    [Fact]
    public void An_event_is_history_by_the_ordering_of_its_own_slice_in_any_layout()
    {
        var random = new Random(7);
        for (var round = 0; round < 50; round++)
        {
            var ends = Enumerable.Range(0, JournalSlices.Count).Select(_ => (long)random.Next(0, 4)).ToArray();
            var history = VersionHistory.Parse("v", string.Join(',', ends.Select((end, slice) => $"{slice}-{slice}:{end}")));
            var lane = RandomLane(random);
            foreach (var id in Enumerable.Range(0, 50).Select(number => $"{round}-{number}").Where(id => lane.Contains(JournalSlices.Of(id))))
            {
                var stored = new JournalEvent { PersistenceId = id, SequenceNumber = 1, Ordering = random.Next(1, 5), Payload = default };
                Assert.Equal(stored.Ordering <= ends[JournalSlices.Of(id)], VersionHistory.Parse("v", history.Within(lane).Text).Has(stored));
            }
        }
    }

    [Theory]
    [InlineData("0-511:?,512-1023:9", "0-511", "0-511:7,512-1023:9")]
    [InlineData("0-1023:?", "0-511", "0-511:7,512-1023:?")]
    [InlineData("0-99:?,100-1023:5", "0-1023", "0-99:7,100-1023:5")]
    [InlineData("", "0-1023", "")]
    public void The_end_of_a_shard_is_set_where_it_is_unknown(string history, string shard, string expected)
    {
        var slices = shard.Split('-').Select(int.Parse).ToArray();
        var known = VersionHistory.Parse("v", history.Replace("?", $"{VersionHistory.Unknown}", StringComparison.Ordinal)).EndingAt(new(slices[0], slices[1]), 7);
        Assert.Equal(expected.Replace("?", $"{VersionHistory.Unknown}", StringComparison.Ordinal), known.Text);
        Assert.Equal(!expected.Contains('?', StringComparison.Ordinal), known.IsKnown);
        Assert.Equal(known.Text, known.After(VersionHistory.Parse("v", "0-1023:3").Ends).Text is var after && history.Length > 0 ? after : "");
    }

    [Fact]
    public void Without_a_history_no_event_is_a_replay() =>
        Assert.False(VersionHistory.Parse("v", null).Has(new() { PersistenceId = "a", SequenceNumber = 1, Ordering = 1, Payload = default }));

    private static SliceRange RandomLane(Random random)
    {
        var first = random.Next(JournalSlices.Count);
        return new(first, random.Next(first, JournalSlices.Count));
    }
}
