using Throttled.Journal.Ordering;
using Throttled.Journal.Rows;

namespace Throttled.Journal.Tests.Ordering;

public sealed class OpenGapsTests
{
    private readonly OpenGaps _gaps = new(new GapPolicy(TimeSpan.FromSeconds(10)));

    [Fact]
    public void Numbers_that_follow_one_another_leave_no_gap()
    {
        Look(after: 3, above: [4, 5]);
        Assert.Equal(0, _gaps.Count);
    }

    [Fact]
    public void Missing_numbers_are_asked_for_by_name()
    {
        Look(after: 3, above: [6, 7, 9], holders: ["a"]);
        Assert.Equal([new(4, 5), new(8, 8)], _gaps.Ranges);
    }

    [Fact]
    public void A_gap_without_owners_is_looked_at_once_more_before_it_is_closed()
    {
        Look(after: 0, above: [2], holders: []);
        Assert.Equal(1, _gaps.Count);
        Look(after: 2, holders: []);
        Assert.Equal(0, _gaps.Count);
    }

    [Fact]
    public void Where_the_evidence_was_not_tried_a_gap_without_owners_is_also_given_time()
    {
        var gaps = new OpenGaps(new(TimeSpan.FromSeconds(60)) { LeastAge = TimeSpan.FromSeconds(10) });
        foreach (var (seconds, open) in ((double, int)[])[(0, 1), (5, 1), (9.9, 1), (10, 1), (10.1, 0)])
        {
            gaps.Observe(
                new(seconds == 0 ? 0 : 2, [], int.MaxValue) { WithOpenTransactions = true }, new(Keys(seconds == 0 ? [2] : null), [], new HashSet<string>()), TimeSpan.FromSeconds(seconds));
            Assert.Equal(open, gaps.Count);
        }
    }

    [Fact]
    public void Who_is_open_is_asked_for_only_while_somebody_may_fill_a_gap_and_the_age_alone_closes_it_then()
    {
        var gaps = new OpenGaps(new(TimeSpan.FromSeconds(60)) { LeastAge = TimeSpan.FromSeconds(10) });
        gaps.Observe(new(0, [], int.MaxValue), new(Keys([2]), [], null), TimeSpan.Zero);
        Assert.True(gaps.NeedsOpenTransactions);
        gaps.Observe(new(2, [], int.MaxValue) { WithOpenTransactions = true }, new([], [], new HashSet<string> { "a" }), TimeSpan.FromSeconds(1));
        Assert.True(gaps.NeedsOpenTransactions);
        gaps.Observe(new(2, [], int.MaxValue) { WithOpenTransactions = true }, new([], [], new HashSet<string> { "b" }), TimeSpan.FromSeconds(2));
        Assert.False(gaps.NeedsOpenTransactions);
        foreach (var (seconds, open) in ((double, int)[])[(9.9, 1), (10, 1), (10.1, 0)])
        {
            gaps.Observe(new(2, [], int.MaxValue), new([], [], null), TimeSpan.FromSeconds(seconds));
            Assert.Equal(open, gaps.Count);
        }
    }

    [Fact]
    public void On_another_server_who_may_fill_a_gap_without_owners_is_asked_for_again()
    {
        Look(after: 0, above: [2], holders: []);
        Assert.False(_gaps.NeedsOpenTransactions);
        _gaps.CollectAgain();
        Assert.True(_gaps.NeedsOpenTransactions);
    }

    [Fact]
    public void Numbers_that_lie_between_two_steps_of_the_identity_are_given_no_time()
    {
        var gaps = new OpenGaps(new(TimeSpan.FromSeconds(60)) { LeastAge = TimeSpan.FromSeconds(10) }) { Increment = 2 };
        gaps.Observe(new(0, [], int.MaxValue) { WithOpenTransactions = true }, new(Keys([1, 3, 7]), [], new HashSet<string>()), TimeSpan.Zero);
        gaps.Observe(new(7, [], int.MaxValue), new([], [], null), TimeSpan.FromSeconds(1));
        Assert.Equal([new OrderingRange(4, 6)], gaps.Ranges);
    }

    [Fact]
    public void A_gap_is_open_while_one_of_its_owners_is()
    {
        Look(after: 0, above: [2], holders: ["a", "b"]);
        Look(after: 2, holders: ["b", "c"]);
        Look(after: 2, holders: ["b"]);
        Look(after: 2, holders: ["b"]);
        Assert.Equal(1, _gaps.Count);
        Look(after: 2, holders: ["c"]);
        Assert.Equal(1, _gaps.Count);
        Look(after: 2, holders: ["c"]);
        Assert.Equal(0, _gaps.Count);
    }

    [Fact]
    public void Owners_that_were_not_asked_for_when_it_was_seen_are_collected_at_the_next_look()
    {
        Look(after: 0, above: [2]);
        Look(after: 2, holders: ["a"]);
        Look(after: 2, holders: ["a"]);
        Assert.Equal(1, _gaps.Count);
    }

    [Fact]
    public void A_late_number_splits_its_gap_and_its_parts_keep_their_owners()
    {
        Look(after: 0, above: [10], holders: ["a"]);
        Look(after: 10, late: [4], holders: ["a"]);
        Assert.Equal([new(1, 3), new(5, 9)], _gaps.Ranges);
        Look(after: 10, holders: []);
        Look(after: 10, holders: []);
        Assert.Equal(0, _gaps.Count);
    }

    [Fact]
    public void Late_numbers_at_the_ends_shorten_the_gap_and_the_last_one_closes_it()
    {
        Look(after: 0, above: [4], holders: ["a"]);
        Look(after: 4, late: [1, 3], holders: ["a"]);
        Assert.Equal([new OrderingRange(2, 2)], _gaps.Ranges);
        Look(after: 4, late: [2], holders: ["a"]);
        Assert.Equal(0, _gaps.Count);
    }

    [Fact]
    public void A_look_that_was_cut_short_closes_nothing()
    {
        Look(after: 0, above: [2], holders: []);
        Look(after: 2, holders: [], isWhole: false);
        Assert.Equal(1, _gaps.Count);
    }

    [Fact]
    public void Where_nobody_knows_the_owners_the_age_closes_a_gap()
    {
        Look(after: 0, above: [2], at: 0);
        Look(after: 2, at: 9);
        Assert.Equal(1, _gaps.Count);
        Look(after: 2, at: 10);
        Assert.Equal(1, _gaps.Count);
        Look(after: 2, at: 11);
        Assert.Equal(0, _gaps.Count);
    }

    [Fact]
    public void A_look_that_is_not_told_who_is_open_closes_no_old_gap()
    {
        Look(after: 0, above: [2], holders: ["a"]);
        for (var at = 11; at < 60; at += 11)
        {
            Look(after: 2, at: at);
            Look(after: 2, holders: ["a"], at: at);
        }
        Assert.Equal(1, _gaps.Count);
    }

    [Fact]
    public void Where_nobody_tells_any_more_who_is_open_the_time_counts_from_then()
    {
        Look(after: 0, above: [2], holders: ["a"]);
        Look(after: 2, at: 50);
        Look(after: 2, at: 59);
        Look(after: 2, at: 60);
        Assert.Equal(1, _gaps.Count);
        Look(after: 2, at: 61);
        Assert.Equal(0, _gaps.Count);
    }

    [Fact]
    public void A_look_that_did_not_ask_who_is_open_is_none_that_was_not_told()
    {
        Look(after: 0, above: [1], holders: []);
        Look(after: 1, at: 1, requests: false);
        Look(after: 1, above: [3], at: 20, requests: false);
        Look(after: 3, at: 31);
        Look(after: 3, holders: ["a"], at: 32);
        Assert.Equal(1, _gaps.Count);
    }

    private void Look(
        long after, long[]? above = null, long[]? late = null, string[]? holders = null, bool isWhole = true, int at = 0, bool requests = true) => _gaps.Observe(
        new(after, [], isWhole ? int.MaxValue : late?.Length ?? 0) { WithOpenTransactions = requests },
        new(Keys(above), Keys(late), holders?.ToHashSet()),
        TimeSpan.FromSeconds(at));

    private static List<JournalKey> Keys(long[]? orderings) => [.. (orderings ?? []).Select(ordering => new JournalKey(ordering, "p", ordering))];
}
