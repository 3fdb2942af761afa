using Throttled.Journal.Ordering;
using Throttled.Journal.Rows;

namespace Throttled.Journal.Tests.Ordering;

public sealed class OpenGapsTests
{
    private readonly OpenGaps _gaps = new(new GapPolicy(TimeSpan.FromSeconds(10)));

    [Fact]
    public void Consecutive_orderings_leave_no_gap()
    {
        Poll(after: 3, above: [4, 5]);
        Assert.Equal(0, _gaps.Count);
    }

    [Fact]
    public void Missing_orderings_are_requested_one_by_one()
    {
        Poll(after: 3, above: [6, 7, 9], open: ["a"]);
        Assert.Equal([new(4, 5), new(8, 8)], _gaps.Ranges);
    }

    [Fact]
    public void A_gap_without_owners_is_polled_once_more_before_it_is_closed()
    {
        Poll(after: 0, above: [2], open: []);
        Assert.Equal(1, _gaps.Count);
        Poll(after: 2, open: []);
        Assert.Equal(0, _gaps.Count);
    }

    [Fact]
    public void With_untested_evidence_a_gap_without_owners_also_has_to_age()
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
    public void Open_transactions_are_requested_only_until_a_gap_has_no_owner_and_then_its_age_closes_it()
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
    public void On_another_server_the_owners_of_a_gap_without_owners_are_requested_again()
    {
        Poll(after: 0, above: [2], open: []);
        Assert.False(_gaps.NeedsOpenTransactions);
        _gaps.CollectAgain();
        Assert.True(_gaps.NeedsOpenTransactions);
    }

    [Fact]
    public void Orderings_between_two_steps_of_the_identity_need_not_age()
    {
        var gaps = new OpenGaps(new(TimeSpan.FromSeconds(60)) { LeastAge = TimeSpan.FromSeconds(10) }) { Increment = 2 };
        gaps.Observe(new(0, [], int.MaxValue) { WithOpenTransactions = true }, new(Keys([1, 3, 7]), [], new HashSet<string>()), TimeSpan.Zero);
        gaps.Observe(new(7, [], int.MaxValue), new([], [], null), TimeSpan.FromSeconds(1));
        Assert.Equal([new OrderingRange(4, 6)], gaps.Ranges);
    }

    [Fact]
    public void A_gap_is_open_while_one_of_its_owners_is()
    {
        Poll(after: 0, above: [2], open: ["a", "b"]);
        Poll(after: 2, open: ["b", "c"]);
        Poll(after: 2, open: ["b"]);
        Poll(after: 2, open: ["b"]);
        Assert.Equal(1, _gaps.Count);
        Poll(after: 2, open: ["c"]);
        Assert.Equal(1, _gaps.Count);
        Poll(after: 2, open: ["c"]);
        Assert.Equal(0, _gaps.Count);
    }

    [Fact]
    public void Owners_that_were_not_requested_with_a_new_gap_are_collected_at_the_next_poll()
    {
        Poll(after: 0, above: [2]);
        Poll(after: 2, open: ["a"]);
        Poll(after: 2, open: ["a"]);
        Assert.Equal(1, _gaps.Count);
    }

    [Fact]
    public void A_late_ordering_splits_its_gap_and_both_parts_keep_their_owners()
    {
        Poll(after: 0, above: [10], open: ["a"]);
        Poll(after: 10, late: [4], open: ["a"]);
        Assert.Equal([new(1, 3), new(5, 9)], _gaps.Ranges);
        Poll(after: 10, open: []);
        Poll(after: 10, open: []);
        Assert.Equal(0, _gaps.Count);
    }

    [Fact]
    public void Late_orderings_at_its_ends_shorten_a_gap_and_the_last_one_closes_it()
    {
        Poll(after: 0, above: [4], open: ["a"]);
        Poll(after: 4, late: [1, 3], open: ["a"]);
        Assert.Equal([new OrderingRange(2, 2)], _gaps.Ranges);
        Poll(after: 4, late: [2], open: ["a"]);
        Assert.Equal(0, _gaps.Count);
    }

    [Fact]
    public void An_incomplete_poll_closes_nothing()
    {
        Poll(after: 0, above: [2], open: []);
        Poll(after: 2, open: [], isWhole: false);
        Assert.Equal(1, _gaps.Count);
    }

    [Fact]
    public void If_its_owners_are_unknown_a_gap_is_closed_by_its_age()
    {
        Poll(after: 0, above: [2], at: 0);
        Poll(after: 2, at: 9);
        Assert.Equal(1, _gaps.Count);
        Poll(after: 2, at: 10);
        Assert.Equal(1, _gaps.Count);
        Poll(after: 2, at: 11);
        Assert.Equal(0, _gaps.Count);
    }

    [Fact]
    public void A_poll_without_known_open_transactions_closes_no_old_gap()
    {
        Poll(after: 0, above: [2], open: ["a"]);
        for (var at = 11; at < 60; at += 11)
        {
            Poll(after: 2, at: at);
            Poll(after: 2, open: ["a"], at: at);
        }
        Assert.Equal(1, _gaps.Count);
    }

    [Fact]
    public void When_open_transactions_become_unknown_the_age_counts_from_then()
    {
        Poll(after: 0, above: [2], open: ["a"]);
        Poll(after: 2, at: 50);
        Poll(after: 2, at: 59);
        Poll(after: 2, at: 60);
        Assert.Equal(1, _gaps.Count);
        Poll(after: 2, at: 61);
        Assert.Equal(0, _gaps.Count);
    }

    [Fact]
    public void A_poll_that_did_not_request_open_transactions_does_not_make_them_unknown()
    {
        Poll(after: 0, above: [1], open: []);
        Poll(after: 1, at: 1, requests: false);
        Poll(after: 1, above: [3], at: 20, requests: false);
        Poll(after: 3, at: 31);
        Poll(after: 3, open: ["a"], at: 32);
        Assert.Equal(1, _gaps.Count);
    }

    [Fact]
    public void Open_transactions_that_were_left_out_after_all_gaps_were_filled_do_not_become_unknown()
    {
        Poll(after: 0, above: [1, 3]);
        _gaps.Observe(new(3, [new(2, 2)], int.MaxValue) { WithOpenTransactions = true, OnlyForGaps = true }, new(Keys([3, 5]), Keys([2]), null), TimeSpan.FromSeconds(1));
        Assert.Equal([new OrderingRange(4, 4)], _gaps.Ranges);
        Poll(after: 5, at: 31);
        Poll(after: 5, open: ["a"], at: 32);
        Assert.Equal(1, _gaps.Count);
    }

    private void Poll(
        long after, long[]? above = null, long[]? late = null, string[]? open = null, bool isWhole = true, int at = 0, bool requests = true) => _gaps.Observe(
        new(after, [], isWhole ? int.MaxValue : late?.Length ?? 0) { WithOpenTransactions = requests },
        new(Keys(above), Keys(late), open?.ToHashSet()),
        TimeSpan.FromSeconds(at));

    private static List<JournalKey> Keys(long[]? orderings) => [.. (orderings ?? []).Select(ordering => new JournalKey(ordering, "p", ordering))];
}
