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

    [Fact]
    public void Without_a_history_no_event_is_a_replay() =>
        Assert.False(VersionHistory.Parse("v", null).Has(new() { PersistenceId = "a", SequenceNumber = 1, Ordering = 1, Payload = default }));

    private static SliceRange RandomLane(Random random)
    {
        var first = random.Next(JournalSlices.Count);
        return new(first, random.Next(first, JournalSlices.Count));
    }
}
