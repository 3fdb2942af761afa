using Throttled.Journal.Ordering;

namespace Throttled.Journal.Tests.InOrder;

public sealed class LateCommitTests
{
    private const int StallWarned = 15;
    private const int StartWarned = 21;

    [Theory]
    [InlineData(Kind.All)]
    [InlineData(Kind.Tag)]
    [InlineData(Kind.Slice)]
    public void A_late_commit_is_delivered_before_the_events_above_it(Kind kind)
    {
        using var world = new World();
        var reader = world.Open(kind);
        world.Advance(TimeSpan.FromSeconds(1));
        world.Append(1, 1);
        var late = world.BeginOne(2);
        world.Append(3, 4);
        world.Advance(TimeSpan.FromMinutes(10));
        Assert.Equal([1], reader.Orderings);
        world.Commit(late);
        world.Advance(TimeSpan.FromSeconds(1));
        Assert.Equal([1, 2, 3, 4], reader.Orderings);
    }

    [Theory]
    [InlineData(Kind.All)]
    [InlineData(Kind.Tag)]
    [InlineData(Kind.Slice)]
    public void A_query_that_begins_above_the_high_water_mark_waits_for_it_too(Kind kind)
    {
        using var world = new World();
        world.Open("x");
        world.Advance(TimeSpan.FromSeconds(1));
        world.Append(1, 1);
        var late = world.BeginOne(2);
        world.Append(3, 4);
        world.Advance(TimeSpan.FromSeconds(1));
        var (live, current) = (world.Open(kind), world.Open(kind, isLive: false));
        world.Advance(TimeSpan.FromMinutes(1));
        Assert.Equal([1], live.Orderings);
        Assert.Equal([1], current.Orderings);
        Assert.False(current.IsCompleted);
        world.Commit(late);
        world.Advance(TimeSpan.FromSeconds(1));
        Assert.Equal([1, 2, 3, 4], live.Orderings);
        Assert.Equal([1, 2, 3, 4], current.Orderings);
        Assert.True(current.IsCompleted);
    }

    [Theory]
    [InlineData(Kind.All)]
    [InlineData(Kind.Tag)]
    [InlineData(Kind.Slice)]
    public void An_open_transaction_that_untested_evidence_does_not_show_has_GapMinAge_to_commit(Kind kind)
    {
        using var world = new World(hasTriedEvidence: false);
        var reader = world.Open(kind);
        world.Advance(TimeSpan.FromSeconds(1));
        var early = Unseen(world, 1);
        world.Append(2, 2);
        world.Advance(TimeSpan.FromSeconds(8));
        early.Commit();
        world.Advance(TimeSpan.FromSeconds(11));
        Assert.Equal([1, 2], reader.Orderings);
        var late = Unseen(world, 3);
        world.Append(4, 4);
        world.Advance(TimeSpan.FromSeconds(9));
        late.Commit();
        world.Advance(TimeSpan.FromSeconds(1));
        Assert.Equal([1, 2, 3, 4], reader.Orderings);
        Assert.Equal(0, world.Log.CountOf(StallWarned) + world.Log.CountOf(StartWarned));
    }

    [Fact]
    public void GapMinAge_is_at_most_GapTimeout_by_default_and_0_trusts_the_evidence()
    {
        Assert.Equal(TimeSpan.FromSeconds(15), Passes(new() { GapTimeout = TimeSpan.FromSeconds(15), GapMinAge = TimeSpan.FromSeconds(15) }));
        Assert.Equal(TimeSpan.FromSeconds(2), Passes(new() { GapTimeout = TimeSpan.FromSeconds(2) }));
        Assert.Equal(TimeSpan.FromSeconds(10), Passes(new()));
        Assert.Equal(TimeSpan.Zero, Passes(new() { GapMinAge = TimeSpan.Zero }));

        static TimeSpan Passes(JournalOptions options) => GapPolicy.Of(options, hasTriedEvidence: false).LeastAge;
    }

    private static ScriptedTransaction Unseen(World world, long sequenceNumber)
    {
        var transaction = world.BeginOne(sequenceNumber);
        transaction.IsUnseen = true;
        return transaction;
    }

    [Theory]
    [InlineData(Kind.All)]
    [InlineData(Kind.Tag)]
    [InlineData(Kind.Slice)]
    public void A_rolled_back_ordering_is_passed_within_two_intervals(Kind kind)
    {
        for (var start = 0; start < 200; start += 7)
        {
            using var world = new World();
            var reader = world.Open(kind);
            world.Advance(TimeSpan.FromSeconds(1) + TimeSpan.FromMilliseconds(start));
            var late = world.BeginOne(1);
            world.Append(2, 2);
            world.Advance(TimeSpan.FromSeconds(10) + TimeSpan.FromMilliseconds(start));
            world.RollBack(late);
            world.Advance(TimeSpan.FromMilliseconds(400));
            Assert.Equal([2], reader.Orderings);
        }
    }

    [Theory]
    [InlineData(Kind.All)]
    [InlineData(Kind.Tag)]
    [InlineData(Kind.Slice)]
    public void A_query_waits_for_a_prepared_transaction_under_its_new_name(Kind kind)
    {
        using var world = new World();
        var reader = world.Open(kind);
        world.Advance(TimeSpan.FromSeconds(1));
        var late = world.BeginOne(1);
        world.Append(2, 2);
        world.Advance(TimeSpan.FromSeconds(1));
        world.Journal.Prepare(late);
        world.Advance(TimeSpan.FromMinutes(10));
        Assert.Empty(reader.Events);
        world.Commit(late);
        world.Advance(TimeSpan.FromSeconds(1));
        Assert.Equal([1, 2], reader.Orderings);
    }

    [Theory]
    [InlineData(Kind.All)]
    [InlineData(Kind.Tag)]
    [InlineData(Kind.Slice)]
    public void A_query_waits_for_transactions_that_were_open_at_the_start(Kind kind)
    {
        using var world = new World();
        world.Append(1, 2);
        var late = world.BeginOne(3);
        world.Append(4, 5);
        var (live, current) = (world.Open(kind), world.Open(kind, isLive: false));
        world.Advance(TimeSpan.FromMinutes(5));
        long[] before = kind == Kind.Tag ? [] : [1, 2];
        Assert.Equal(before, live.Orderings);
        Assert.Equal(before, current.Orderings);
        world.Commit(late);
        world.Advance(TimeSpan.FromSeconds(1));
        Assert.Equal([1, 2, 3, 4, 5], live.Orderings);
        Assert.Equal([1, 2, 3, 4, 5], current.Orderings);
        Assert.True(current.IsCompleted);
    }

    [Theory]
    [InlineData(Kind.All)]
    [InlineData(Kind.Tag)]
    [InlineData(Kind.Slice)]
    public void A_transaction_that_was_open_at_the_start_and_rolls_back_is_passed(Kind kind)
    {
        using var world = new World();
        var late = world.BeginOne(1);
        world.Append(2, 3);
        var (live, current) = (world.Open(kind), world.Open(kind, isLive: false));
        world.Advance(TimeSpan.FromMinutes(5));
        world.RollBack(late);
        world.Advance(TimeSpan.FromSeconds(1));
        Assert.Equal([2, 3], live.Orderings);
        Assert.Equal([2, 3], current.Orderings);
        Assert.True(current.IsCompleted);
    }

    [Fact]
    public void If_the_evidence_becomes_unavailable_ordered_queries_end_before_a_gap_is_skipped()
    {
        using var world = new World(options => options with { GapTimeout = TimeSpan.FromSeconds(1) });
        world.Append(1, 2);
        List<PolledReader> readers = [.. Enum.GetValues<Kind>().Select(kind => world.Open(kind))];
        var byId = world.Open(Kinds.Id);
        world.Advance(TimeSpan.FromSeconds(1));
        (world.Database.KnowsOpenTransactions, world.Database.PollRefusal) = (false, "The sequence keeps numbers back.");
        var late = world.BeginOne(3);
        world.Journal.Append("other", 1, 1, 10, Kinds.Tag);
        world.Advance(TimeSpan.FromSeconds(5));
        world.Commit(late);
        world.Advance(TimeSpan.FromSeconds(5));
        Assert.All(readers, reader => Assert.Contains("keeps numbers back", Assert.IsType<JournalException>(reader.Failure).Message, StringComparison.Ordinal));
        Assert.All(readers, reader => Assert.Equal([1, 2], reader.Orderings));
        var refused = world.OpenAll();
        world.Advance(TimeSpan.FromSeconds(1));
        Assert.IsType<JournalException>(refused.Failure);
        world.Append(4, 4);
        world.AdvanceUntil(() => byId.Events.Count == 4);
    }

    [Fact]
    public void A_newest_row_deleted_before_the_start_has_settled_does_not_let_a_gap_be_passed()
    {
        using var world = new World();
        world.Append(1, 1);
        var late = world.BeginOne(2);
        world.Journal.Append(Kinds.Other, 1, 1);
        world.Open("x");
        world.Advance(TimeSpan.FromSeconds(1));
        world.Journal.Remove(Kinds.Other, 1);
        var reader = world.OpenAll();
        world.Advance(TimeSpan.FromSeconds(1));
        world.Commit(late);
        world.Advance(TimeSpan.FromSeconds(1));
        Assert.Equal([1, 2], reader.Orderings);
    }

    [Fact]
    public void A_page_discarded_before_the_start_has_settled_is_read_again_at_once()
    {
        using var world = new World(options => options with { MaxBufferedBytes = 600 });
        world.Append(1, 3);
        world.BeginOne(4);
        world.Append(5, 5);
        var reader = world.OpenAll();
        reader.IsEager = false;
        reader.Step();
        world.Advance(TimeSpan.FromMilliseconds(20));
        reader.Step();
        Assert.Single(reader.Events);
        world.Engine.Budget().Reserve(1000);
        world.Open("x", isLive: false);
        world.Advance(TimeSpan.FromSeconds(3));
        world.Engine.Budget().Release(1000);
        Assert.Equal(0, world.Engine.Budget().Used);
        reader.IsEager = true;
        world.Advance(TimeSpan.FromSeconds(1));
        Assert.Equal([1, 2, 3], reader.Orderings);
    }

    [Theory]
    [InlineData(Kind.All)]
    [InlineData(Kind.Tag)]
    [InlineData(Kind.Slice)]
    public void A_query_that_opens_after_all_have_left_waits_for_transactions_that_are_open_now(Kind kind)
    {
        using var world = new World();
        world.Append(1, 3);
        var first = world.Open(kind);
        world.Advance(TimeSpan.FromSeconds(1));
        first.Dispose();
        world.Advance(TimeSpan.FromSeconds(1));
        var open = world.Journal.Begin();
        open.Add("z", 1);
        var second = world.Open(kind);
        world.Advance(TimeSpan.FromSeconds(1));
        world.RollBack(open);
        world.Advance(TimeSpan.FromSeconds(1));
        Assert.Equal([1, 2, 3], second.Orderings);
    }
}
