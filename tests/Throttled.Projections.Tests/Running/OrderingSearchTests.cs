using Throttled.Testing.Scripted;
using Throttled.Projections.Running;

namespace Throttled.Projections.Tests.Running;

public sealed class OrderingSearchTests
{
    [Fact]
    public async Task An_empty_journal_gives_the_start() => Assert.Equal(0, await SearchAsync([], 100, 0));

    [Fact]
    public async Task A_time_before_all_events_gives_the_start() => Assert.Equal(0, await SearchAsync([(3, 10), (5, 11)], 10, 5));

    [Fact]
    public async Task A_time_after_all_events_gives_the_last() => Assert.Equal(5, await SearchAsync([(3, 10), (5, 11)], 12, 5));

    [Fact]
    public async Task Events_of_the_given_time_are_handled_again() => Assert.Equal(3, await SearchAsync([(3, 10), (5, 11), (6, 11), (9, 12)], 11, 9));

    [Fact]
    public async Task An_event_above_the_end_does_not_count() => Assert.Equal(3, await SearchAsync([(3, 1), (10, 1)], 5, 7));

    [Fact]
    public async Task A_long_journal_is_searched_by_halving()
    {
        var reads = 0;
        var search = new OrderingSearch((after, _) =>
        {
            reads++;
            return Task.FromResult<JournalEvent?>(Event((after + 1, after + 1)));
        });
        Assert.Equal(123_456_788, await search.LastBeforeAsync(123_456_789, 1_000_000_000, CancellationToken.None));
        Assert.InRange(reads, 1, 40);
    }

    [Fact]
    public void With_rising_timestamps_the_search_equals_a_scan_and_with_others_it_ends() =>
        Seeds.ForEach(2_000, seed => new Random(seed), random =>
        {
            var rises = random.Next(2) == 0;
            var (events, ordering, ticks) = (new List<(long Ordering, long Ticks)>(), 0L, 0L);
            for (var i = random.Next(30); i > 0; i--)
                events.Add((ordering += random.Next(1, 6), rises ? ticks += random.Next(3) : random.Next(20)));
            var time = random.Next(25);
            var search = SearchAsync(events, time, ordering + random.Next(3));
            Assert.True(search.IsCompletedSuccessfully);
            if (rises)
                Assert.Equal(events.LastOrDefault(each => each.Ticks < time).Ordering, search.Result);
        });

    private static Task<long> SearchAsync(List<(long Ordering, long Ticks)> events, long ticks, long end) =>
        new OrderingSearch((after, _) => Task.FromResult(events.Where(each => each.Ordering > after).Select(Event).FirstOrDefault()))
            .LastBeforeAsync(ticks, end, CancellationToken.None);

    private static JournalEvent? Event((long Ordering, long Ticks) at) =>
        new() { PersistenceId = "p", SequenceNumber = 1, Payload = default, Ordering = at.Ordering, Timestamp = at.Ticks };
}
