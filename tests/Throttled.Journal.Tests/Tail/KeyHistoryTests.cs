using Throttled.Journal.Rows;
using Throttled.Journal.Tail;

namespace Throttled.Journal.Tests.Tail;

public sealed class KeyHistoryTests
{
    private readonly KeyHistory _history = new(5);

    [Fact]
    public void It_begins_empty()
    {
        Assert.Null(_history.Oldest);
        Assert.Null(_history.Newest);
        Assert.Null(_history.LastIn([Key(1)]));
    }

    [Fact]
    public void The_newest_keys_are_kept()
    {
        _history.Add([Key(1), Key(2), Key(3)]);
        _history.Add([Key(4), Key(6), Key(7)]);

        Assert.Equal(Key(2), _history.Oldest);
        Assert.Equal(Key(7), _history.Newest);
    }

    [Fact]
    public void With_too_many_keys_at_once_the_newest_are_kept()
    {
        _history.Add(Enumerable.Range(1, 100).Select(ordering => Key(ordering)));

        Assert.Equal(Key(96), _history.Oldest);
        Assert.Equal(Key(100), _history.Newest);
    }

    [Fact]
    public void The_key_that_a_poll_begins_with_is_remembered_once()
    {
        _history.Add([Key(1), Key(2)]);
        _history.Add([Key(2), Key(3)]);
        _history.Add([Key(3)]);
        _history.CutAfter(2);

        Assert.Equal(Key(2), _history.Newest);
        _history.CutAfter(1);
        Assert.Equal(Key(1), _history.Newest);
    }

    [Fact]
    public void A_journal_that_only_grew_is_unchanged_up_to_the_newest_key()
    {
        Remember(1, 2, 3);

        Assert.Equal(Key(3), _history.LastIn([Key(1), Key(2), Key(3), Key(4)]));
    }

    [Fact]
    public void A_journal_without_its_newest_rows_is_unchanged_up_to_the_last_that_is_left()
    {
        Remember(1, 2, 3, 4);

        Assert.Equal(Key(2), _history.LastIn([Key(1), Key(2)]));
    }

    [Fact]
    public void A_journal_is_unchanged_only_below_a_reused_ordering()
    {
        Remember(1, 2, 3);

        Assert.Equal(Key(1), _history.LastIn([Key(1), Key(2, "other")]));
        Assert.Equal(Key(1), _history.LastIn([Key(1), new JournalKey(2, "id", 99)]));
    }

    [Fact]
    public void A_row_deleted_below_the_newest_makes_no_difference()
    {
        Remember(1, 2, 3, 5);

        Assert.Equal(Key(5), _history.LastIn([Key(1), Key(5)]));
        Assert.Equal(Key(5), _history.LastIn([Key(5), Key(6)]));
    }

    [Fact]
    public void A_key_above_a_changed_one_is_new_even_if_it_is_equal()
    {
        Remember(1, 2, 3, 4);

        Assert.Equal(Key(1), _history.LastIn([Key(1), Key(2, "other"), Key(3), Key(4)]));
    }

    [Fact]
    public void A_key_above_an_ordering_that_was_filled_later_is_new_too()
    {
        Remember(1, 2, 5);

        Assert.Equal(Key(2), _history.LastIn([Key(1), Key(2), Key(3), Key(5)]));
    }

    [Fact]
    public void The_same_event_written_again_with_its_ordering_counts_as_unchanged()
    {
        Remember(1, 2, 3);

        // 2 and 3 were deleted. Then 2 was written again, and another event reused 3.
        Assert.Equal(Key(2), _history.LastIn([Key(1), Key(2), Key(3, "other")]));
    }

    [Fact]
    public void If_everything_changed_there_is_no_unchanged_key()
    {
        Remember(1, 2, 3);

        Assert.Null(_history.LastIn([]));
        Assert.Null(_history.LastIn([Key(1, "other"), Key(2), Key(3)]));
        Assert.Null(_history.LastIn([Key(4)]));
    }

    [Fact]
    public void Keys_after_a_cut_are_forgotten_and_can_be_added_again()
    {
        Remember(1, 2, 3, 4);

        _history.CutAfter(2);
        _history.Add([Key(2), Key(3, "other")]);

        Assert.Equal(Key(1), _history.Oldest);
        Assert.Equal(Key(3, "other"), _history.Newest);
        Assert.Equal(Key(3, "other"), _history.LastIn([Key(1), Key(2), Key(3, "other")]));
    }

    [Fact]
    public void After_a_clear_it_remembers_nothing()
    {
        Remember(1, 2);

        _history.Clear();

        Assert.Null(_history.Oldest);
        Assert.Null(_history.LastIn([Key(1), Key(2)]));
    }

    // A journal without AUTOINCREMENT, in which anything can happen except rewriting the same event. The history is checked now and then.
    [Fact]
    public void Orderings_that_it_reports_unchanged_were_never_reused()
    {
        var random = new Random(4711);
        var history = new KeyHistory(8);
        var rows = new SortedDictionary<long, (JournalKey Key, int Written)>();
        Dictionary<long, int> seen = [];
        for (var step = 0; step < 20_000; step++)
        {
            Change(rows, random, step);
            if (random.Next(4) > 0)
                continue;
            if (history.Newest is { } newest && (!rows.TryGetValue(newest.Ordering, out var there) || there.Key != newest))
                CutChanged(history, rows, seen);
            foreach (var (ordering, row) in rows.Where(row => row.Key > (history.Newest?.Ordering ?? 0)))
                seen[ordering] = row.Written;
            history.Add(rows.Values.Select(row => row.Key).Where(key => key.Ordering >= (history.Newest?.Ordering ?? 0)));
            foreach (var (ordering, row) in rows.Where(row => row.Key >= (history.Oldest?.Ordering ?? 0)))
                Assert.Equal(seen[ordering], row.Written);
        }
    }

    private static void Change(SortedDictionary<long, (JournalKey Key, int Written)> rows, Random random, int step)
    {
        if (random.Next(2) == 0)
        {
            var ordering = rows.Keys.LastOrDefault() + 1;
            rows[ordering] = (new(ordering, "id", step), step);
        }
        else if (rows.Count > 0)
        {
            var all = rows.Keys.ToList();
            rows.Remove(random.Next(3) == 0 ? all[random.Next(all.Count)] : all[^1]);
        }
    }

    private static void CutChanged(KeyHistory history, SortedDictionary<long, (JournalKey Key, int Written)> rows, Dictionary<long, int> seen)
    {
        var oldest = history.Oldest!.Value.Ordering;
        var last = history.LastIn([.. rows.Values.Select(row => row.Key).Where(key => key.Ordering >= oldest)]);
        if (last is { } same)
        {
            history.CutAfter(same.Ordering);
            Assert.Equal(seen[same.Ordering], rows[same.Ordering].Written);
        }
        else
            history.Clear();
    }

    private static JournalKey Key(long ordering, string id = "id") => new(ordering, id, ordering);

    private void Remember(params long[] orderings) => _history.Add(orderings.Select(ordering => Key(ordering)));
}
