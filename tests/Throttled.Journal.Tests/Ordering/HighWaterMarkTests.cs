using Throttled.Journal.Ordering;
using Throttled.Journal.Rows;

namespace Throttled.Journal.Tests.Ordering;

public sealed class HighWaterMarkTests
{
    private static readonly GapPolicy Policy = new(TimeSpan.FromSeconds(10));

    private HighWaterMark _highWaterMark = new(Policy);

    [Fact]
    public void Before_the_first_poll_it_is_unknown()
    {
        Assert.Null(_highWaterMark.Value);
        Assert.False(_highWaterMark.HasBegun || _highWaterMark.IsSettled || _highWaterMark.NeedsOpenTransactions);
    }

    [Fact]
    public void It_is_known_for_an_empty_journal_without_open_transactions()
    {
        Begin(null, open: []);
        Assert.Equal((0, 0L), (_highWaterMark.Value, _highWaterMark.HighestSeen));
    }

    [Fact]
    public void It_is_unknown_while_a_transaction_of_the_first_poll_is_open()
    {
        Begin(7, open: ["a"]);
        Assert.True(_highWaterMark.NeedsOpenTransactions);
        Poll(above: [7, 8], open: ["a", "b"]);
        Assert.Equal((null, 8L), (_highWaterMark.Value, _highWaterMark.HighestSeen));
        Poll(above: [8], open: ["b"]);
        Assert.Equal(8, _highWaterMark.Value);
    }

    [Fact]
    public void Once_known_it_stops_below_a_gap_above_the_start()
    {
        Begin(7, open: ["a"]);
        Poll(above: [7, 10], open: ["a", "b"]);
        Poll(above: [10], open: ["b"]);
        Assert.Equal(7, _highWaterMark.Value);
    }

    [Fact]
    public void Without_gaps_it_is_the_highest_ordering_read()
    {
        Begin(7, open: []);
        Poll(above: [7, 8, 9]);
        Assert.Equal(9, _highWaterMark.Value);
        Assert.False(_highWaterMark.NeedsOpenTransactions);
    }

    [Fact]
    public void It_does_not_pass_a_gap_that_may_still_be_filled()
    {
        Begin(7, open: []);
        Poll(above: [7, 9, 12]);
        for (var i = 0; i < 50; i++)
            Poll(above: [12], open: ["a"], at: i * 10);
        Assert.Equal((7, 12L), (_highWaterMark.Value, _highWaterMark.HighestSeen));
    }

    [Fact]
    public void It_moves_to_the_next_gap_when_the_lower_one_is_filled()
    {
        Begin(7, open: []);
        Poll(above: [7, 9, 12], open: ["a"]);
        Poll(above: [12], late: [8], open: ["a"]);
        Assert.Equal(9, _highWaterMark.Value);
    }

    [Fact]
    public void A_gap_whose_owners_have_ended_is_passed_after_one_more_poll()
    {
        Begin(7, open: []);
        Poll(above: [7, 9]);
        Poll(above: [9], open: ["a"]);
        Poll(above: [9], open: []);
        Assert.True(_highWaterMark.IsAboutToMove);
        Assert.Equal(7, _highWaterMark.Value);
        Poll(above: [9], open: ["b"]);
        Assert.Equal(9, _highWaterMark.Value);
    }

    [Fact]
    public void It_stops_below_a_gap_at_the_beginning_of_the_journal_too()
    {
        Begin(null, open: []);
        Poll(above: [3], open: ["a"]);
        Assert.Equal(0, _highWaterMark.Value);
        Assert.Equal([new OrderingRange(1, 2)], _highWaterMark.Gaps);
    }

    [Fact]
    public void If_configured_it_skips_a_gap_after_the_timeout_and_reports_it()
    {
        _highWaterMark = new(Policy with { SkipsOnTimeout = true });
        Begin(7, open: []);
        Poll(above: [7, 9], open: ["a"], at: 0);
        Poll(above: [9], open: ["a"], at: 10);
        Assert.Equal(7, _highWaterMark.Value);
        Poll(above: [9], open: ["a"], at: 11);
        Assert.Equal(9, _highWaterMark.Value);
        Assert.Equal([new OrderingRange(8, 8)], _highWaterMark.Skipped);
        Poll(above: [9], open: ["a"], at: 12);
        Assert.Empty(_highWaterMark.Skipped);
        Assert.Null(_highWaterMark.OldestGap);
        Assert.Null(_highWaterMark.Unsettled);
    }

    [Fact]
    public void A_skipped_gap_is_requested_until_its_owners_have_ended()
    {
        _highWaterMark = new(Policy with { SkipsOnTimeout = true });
        Begin(7, open: []);
        Poll(above: [7, 9, 11], open: ["a"], at: 0);
        Poll(above: [11], open: ["a"], at: 10);
        Poll(above: [11], late: [8], open: ["a"], at: 11);
        Assert.Equal([new OrderingRange(10, 10)], _highWaterMark.Gaps);
        Poll(above: [11], open: [], at: 12);
        Poll(above: [11], open: [], at: 13);
        Assert.Equal((11, 0), (_highWaterMark.Value, _highWaterMark.GapCount));
    }

    [Fact]
    public void If_configured_it_skips_the_start_after_the_timeout_and_reports_it()
    {
        _highWaterMark = new(Policy with { SkipsOnTimeout = true });
        Begin(7, open: ["a"]);
        Poll(above: [7], open: ["a"], at: 10);
        Assert.Equal(7, _highWaterMark.Value);
        Assert.Equal([new OrderingRange(1, 7)], _highWaterMark.Skipped);
    }

    [Fact]
    public void It_stays_settled_when_the_tail_begins_again()
    {
        Begin(7, open: []);
        Poll(above: [7, 9], open: ["a"]);
        _highWaterMark.Pause();
        Begin(20, open: ["a"]);
        Assert.Equal((7, 20L), (_highWaterMark.Value, _highWaterMark.HighestSeen));
        Poll(above: [20], open: []);
        Assert.Equal(20, _highWaterMark.Value);
    }

    [Fact]
    public void It_does_not_move_back_when_the_newest_row_is_deleted()
    {
        Begin(7, open: []);
        _highWaterMark.Pause();
        Begin(5, open: []);
        Assert.Equal((7, 7L, 7L), (_highWaterMark.Value, _highWaterMark.HighestSeen, _highWaterMark.Last!.Value.Ordering));
    }

    [Fact]
    public void Another_row_at_its_ordering_does_not_replace_the_last_key()
    {
        Begin(7, open: []);
        _highWaterMark.Pause();
        _highWaterMark.Begin(new(new(7, "another", 1), new HashSet<string>()), TimeSpan.Zero);
        Assert.Equal("p", _highWaterMark.Last!.Value.PersistenceId);
    }

    [Fact]
    public void A_rewind_moves_it_back()
    {
        Begin(7, open: []);
        Poll(above: [7, 8, 9]);
        _highWaterMark.RewindTo(Key(8));
        Assert.Equal((8, 8L), (_highWaterMark.Value, _highWaterMark.HighestSeen));
        _highWaterMark.RewindTo(null);
        Assert.Equal((0, 0L, null), (_highWaterMark.Value, _highWaterMark.HighestSeen, _highWaterMark.Last));
    }

    [Fact]
    public void A_rewind_does_not_pass_a_gap_below()
    {
        Begin(7, open: []);
        Poll(above: [7, 9, 12], open: ["a"]);
        _highWaterMark.RewindTo(Key(11));
        Assert.Equal((7, 11L), (_highWaterMark.Value, _highWaterMark.HighestSeen));
        Assert.Equal([new(8, 8), new(10, 11)], _highWaterMark.Gaps);
        _highWaterMark.RewindTo(Key(9));
        Assert.Equal([new OrderingRange(8, 8)], _highWaterMark.Gaps);
    }

    [Fact]
    public void On_another_server_the_owners_of_gaps_are_collected_again()
    {
        Begin(7, open: []);
        Poll(above: [7, 9], open: ["standby/1"], at: 1);
        _highWaterMark.CollectAgain();
        Poll(above: [9], open: ["3/45"], at: 2);
        Poll(above: [9], open: ["3/45"], at: 3);
        Assert.Equal(7, _highWaterMark.Value);
        Poll(above: [9], open: [], at: 4);
        Poll(above: [9], open: [], at: 5);
        Assert.Equal(9, _highWaterMark.Value);
    }

    [Fact]
    public void On_another_server_the_start_waits_for_its_open_transactions()
    {
        Begin(7, open: ["standby/1"]);
        _highWaterMark.CollectAgain();
        Poll(above: [7], open: ["3/45"], at: 1);
        Assert.Null(_highWaterMark.Value);
        Poll(above: [7], open: [], at: 2);
        Assert.Equal(7, _highWaterMark.Value);
    }

    [Fact]
    public void After_a_reset_it_is_unknown()
    {
        Begin(7, open: []);
        _highWaterMark.Forget();
        Assert.Equal((null, 0L, null), (_highWaterMark.Value, _highWaterMark.HighestSeen, _highWaterMark.Last));
        Assert.False(_highWaterMark.HasBegun);
    }

    [Fact]
    public void It_is_not_confirmed_while_another_server_is_behind()
    {
        Begin(7, open: []);
        _highWaterMark.Confirm(TimeSpan.FromSeconds(1));
        _highWaterMark.Move();
        Poll(above: [], open: [], at: 2);
        _highWaterMark.Confirm(TimeSpan.FromSeconds(2));
        Assert.Equal((true, null, TimeSpan.FromSeconds(1)), (_highWaterMark.IsBehind, _highWaterMark.Value, _highWaterMark.ConfirmedAt));
        Poll(above: [7], open: [], at: 3);
        _highWaterMark.Confirm(TimeSpan.FromSeconds(3));
        Assert.Equal((7, TimeSpan.FromSeconds(3)), (_highWaterMark.Value, _highWaterMark.ConfirmedAt));
    }

    [Fact]
    public void It_is_stalled_by_the_start_first_and_then_by_the_oldest_gap()
    {
        Begin(7, open: ["a"]);
        Assert.Equal((7, TimeSpan.Zero), (_highWaterMark.Unsettled!.Position, _highWaterMark.Unsettled.Since));
        Assert.Null(_highWaterMark.OldestGap);
        Poll(above: [7, 9], open: ["b"], at: 3);
        Poll(above: [9, 11], open: ["b"], at: 5);
        Assert.Null(_highWaterMark.Unsettled);
        Assert.Equal((new(8, 8), TimeSpan.FromSeconds(3)), (_highWaterMark.OldestGap!.Range, _highWaterMark.OldestGap.Since));
    }

    private static JournalKey Key(long ordering) => new(ordering, "p", ordering);

    private void Begin(long? last, string[]? open) =>
        _highWaterMark.Begin(new(last is { } ordering ? Key(ordering) : null, open?.ToHashSet()), TimeSpan.Zero);

    private void Poll(long[] above, long[]? late = null, string[]? open = null, int at = 0) => _highWaterMark.Observe(
        new(_highWaterMark.HighestSeen, _highWaterMark.Gaps, 100) { WithOpenTransactions = _highWaterMark.NeedsOpenTransactions },
        new([.. above.Select(Key)], [.. (late ?? []).Select(Key)], open?.ToHashSet()),
        TimeSpan.FromSeconds(at));
}
