namespace Throttled.Journal.Tests.Tail;

public sealed class JournalTailTests
{
    [Theory]
    [InlineData(1)]
    [InlineData(1000)]
    [InlineData(100_000)]
    public void An_idle_journal_is_polled_once_an_interval_for_any_number_of_queries(int followers)
    {
        using var world = new World();
        for (var i = 0; i < followers; i++)
            world.Open($"p{i}").Step();
        Quietly(world, TimeSpan.FromSeconds(1));
        Assert.Equal(followers, world.Engine.Followers());
        var calls = world.Database.CallCount;
        Quietly(world, TimeSpan.FromSeconds(20));
        Assert.Equal(calls + 100, world.Database.CallCount);
    }

    [Fact]
    public void An_event_reaches_only_its_followers_with_one_read_of_keys_and_one_of_rows()
    {
        using var world = new World();
        var (first, second, other) = (world.Open("p"), world.Open("p"), world.Open("q"));
        world.Advance(TimeSpan.FromSeconds(1));
        var pages = world.Database.Of(CallKind.Pages).Count();
        world.Journal.Append("p", 1, 2);
        world.Advance(TimeSpan.FromMilliseconds(200));
        Assert.Equal([1, 2], first.SequenceNumbers);
        Assert.Equal([1, 2], second.SequenceNumbers);
        Assert.Empty(other.Events);
        Assert.Equal((1, pages), (world.Database.Of(CallKind.Rows).Count(), world.Database.Of(CallKind.Pages).Count()));
    }

    [Fact]
    public void An_event_that_no_query_follows_is_not_read()
    {
        using var world = new World();
        world.Open("p");
        world.Advance(TimeSpan.FromSeconds(1));
        world.Journal.Append("q", 1, 2);
        world.Advance(TimeSpan.FromSeconds(1));
        Assert.Empty(world.Database.Of(CallKind.Rows));
    }

    [Fact]
    public void Rows_that_arrive_during_disposal_return_their_bytes()
    {
        var world = new World { IsHeld = call => call.Kind == CallKind.Rows };
        world.Open("p");
        world.Advance(TimeSpan.FromSeconds(1));
        world.Journal.Append("p", 1, 1);
        world.AdvanceUntil(() => world.Database.Pending.Count > 0);
        var closing = world.Closing();
        world.Database.Step(world.Database.Pending[0]);
        Assert.NotEqual(0, world.Engine.Budget().Used);
        world.Close();
        Assert.True(closing.IsCompletedSuccessfully);
        Assert.Equal(0, world.Engine.Budget().Used);
    }

    [Fact]
    public void Without_live_queries_it_sends_no_statement()
    {
        using var world = new World();
        var reader = world.Open("p");
        world.Advance(TimeSpan.FromSeconds(1));
        reader.Dispose();
        world.Advance(TimeSpan.FromSeconds(1));
        var calls = world.Database.CallCount;
        world.Advance(TimeSpan.FromHours(1));
        Assert.Equal(calls, world.Database.CallCount);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void Polls_read_tags_while_a_live_query_by_tag_catches_up_or_follows(bool isLive)
    {
        using var world = new World();
        world.Open("p");
        world.Journal.Append("p", 1, 3, 10, "red");
        world.Advance(TimeSpan.FromSeconds(1));
        Assert.False(PollsReadTags());
        world.IsHeld = call => call.IsPages;
        var reader = world.OpenTag("red", isLive: isLive);
        world.Advance(TimeSpan.FromSeconds(1));
        Assert.Equal(isLive, PollsReadTags());
        world.IsHeld = _ => false;
        world.Advance(TimeSpan.FromSeconds(1));
        Assert.Equal(3, reader.Events.Count);
        Assert.Equal(isLive, PollsReadTags());
        reader.Dispose();
        world.Advance(TimeSpan.FromSeconds(1));
        Assert.False(PollsReadTags());

        bool PollsReadTags() => world.Database.Of(CallKind.Keys).Last().Keys!.WithTags;
    }

    [Fact]
    public void A_late_commit_is_delivered()
    {
        using var world = new World();
        var (late, early) = (world.Open("late"), world.Open("early"));
        world.Advance(TimeSpan.FromSeconds(1));
        var transaction = world.Journal.Begin();
        transaction.Add("late", 1);
        world.Journal.Append("early", 1, 1);
        world.Advance(TimeSpan.FromMinutes(10));
        Assert.Equal([1], early.SequenceNumbers);
        transaction.Commit();
        world.Journal.LetGo(transaction);
        world.Advance(TimeSpan.FromSeconds(1));
        Assert.Equal([1], late.SequenceNumbers);
    }

    [Fact]
    public void A_late_commit_of_a_transaction_that_was_open_at_the_start_is_delivered()
    {
        using var world = new World();
        var transaction = world.Journal.Begin();
        transaction.Add("late", 1);
        world.Journal.Append("early", 1, 1);
        var late = world.Open("late");
        world.Advance(TimeSpan.FromMinutes(10));
        transaction.Commit();
        world.Journal.LetGo(transaction);
        world.Advance(TimeSpan.FromSeconds(1));
        Assert.Equal([1], late.SequenceNumbers);
    }

    [Fact]
    public void A_jump_over_a_large_lag_loses_nothing()
    {
        using var world = new World(options => options with { TailMaxLag = 20_000 });
        var reader = world.Open("p");
        world.Advance(TimeSpan.FromSeconds(1));
        world.Journal.Append("q", 1, 15_000);
        world.Journal.Append("p", 1, 3);
        world.Journal.Append("q", 15_001, 30_000);
        world.Journal.Append("p", 4, 5);
        world.AdvanceUntil(() => reader.Events.Count == 5, seconds: 10);
        Assert.Equal(1, world.Log.CountOf(11));
        world.Journal.Append("p", 6, 6);
        world.AdvanceUntil(() => reader.Events.Count == 6, seconds: 2);
        Assert.Equal([1, 2, 3, 4, 5, 6], reader.SequenceNumbers);
    }

    [Fact]
    public void Reused_orderings_lose_nothing()
    {
        using var world = new World(reusesOrderings: true);
        world.Journal.Append("q", 1, 3);
        var reader = world.Open("p");
        world.Advance(TimeSpan.FromSeconds(1));
        world.Journal.Remove("q", 3);
        world.Journal.Append("p", 1, 3);
        Assert.Equal(3, world.Journal.LastDrawn);
        world.AdvanceUntil(() => reader.Events.Count == 3, seconds: 2);
        Assert.Equal(1, world.Log.CountOf(14));
    }

    [Fact]
    public void A_paused_reader_keeps_one_page_at_most_and_catches_up_by_pages()
    {
        using var world = new World(options => options with { MaxBufferSize = 4 });
        var reader = world.Open("p");
        world.Advance(TimeSpan.FromSeconds(1));
        world.Journal.Append("p", 1, 1);
        reader.IsEager = false;
        for (var i = 2; i <= 100; i++)
        {
            world.Advance(TimeSpan.FromSeconds(1));
            world.Journal.Append("p", i, i);
        }
        world.Advance(TimeSpan.FromSeconds(1));
        Assert.InRange(world.Engine.Budget().Used, 1, 5 * 138);
        reader.IsEager = true;
        world.AdvanceUntil(() => reader.Events.Count == 100, seconds: 2);
        Assert.Equal(Enumerable.Range(1, 100).Select(i => (long)i), reader.SequenceNumbers);
    }

    [Fact]
    public void A_bounded_live_query_ends_at_a_row_past_its_end_even_a_deleted_one()
    {
        using var world = new World();
        var reader = world.Open("p", from: 1, to: 3);
        world.Advance(TimeSpan.FromSeconds(1));
        world.Journal.Append("p", 1, 2);
        world.Advance(TimeSpan.FromSeconds(1));
        Assert.False(reader.IsCompleted);
        var transaction = world.Journal.Begin();
        transaction.Add("p", 4).DeletedAt = 1;
        transaction.Commit();
        world.Advance(TimeSpan.FromSeconds(1));
        Assert.True(reader.IsCompleted);
        Assert.Equal([1, 2], reader.SequenceNumbers);
    }

    [Fact]
    public void An_empty_range_completes_without_a_statement()
    {
        using var world = new World();
        var reader = world.Open("p", from: 5, to: 4);
        world.Settle();
        Assert.True(reader.IsCompleted);
        Assert.Equal(0, world.Database.CallCount);
    }

    [Fact]
    public void A_notification_wakes_it_before_its_interval()
    {
        using var world = new World(options => options with { Notify = true, RefreshInterval = TimeSpan.FromHours(1) });
        var reader = world.Open("p");
        world.Advance(TimeSpan.FromSeconds(1));
        Assert.True(SpinWait.SpinUntil(() => world.Database.Wake is not null, TimeSpan.FromSeconds(20)));
        world.Journal.Append("p", 1, 1);
        world.Database.Wake!();
        world.Advance(TimeSpan.FromMilliseconds(20));
        Assert.Equal([1], reader.SequenceNumbers);
    }

    [Fact]
    public void After_a_new_event_it_polls_after_the_least_interval_for_20_ms_and_then_doubles_it_up_to_the_refresh_interval()
    {
        using var world = new World();
        world.Open("p");
        world.Advance(TimeSpan.FromSeconds(1));
        world.Journal.Append("p", 1, 1);
        List<int> polls = [];
        var count = Polls();
        for (var time = 1; polls.Count < 11; time++)
        {
            Assert.True(time < 2000, string.Join(' ', polls));
            world.Advance(TimeSpan.FromMilliseconds(1));
            if (Polls() == count)
                continue;
            count = Polls();
            polls.Add(time);
        }
        Assert.Equal([5, 5, 5, 5, 10, 20, 40, 80, 160, 200], polls.Zip(polls.Skip(1), (poll, next) => next - poll));

        int Polls() => world.Database.Of(CallKind.Keys).Count();
    }

    // Does not step the readers, because there are very many.
    private static void Quietly(World world, TimeSpan time)
    {
        foreach (var reader in world.Readers)
            reader.IsEager = false;
        world.Advance(time);
    }
}
