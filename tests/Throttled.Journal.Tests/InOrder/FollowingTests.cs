namespace Throttled.Journal.Tests.InOrder;

public sealed class FollowingTests
{
    [Theory]
    [InlineData(Kind.All)]
    [InlineData(Kind.Tag)]
    [InlineData(Kind.Slice)]
    public void A_query_from_the_end_of_an_idle_journal_reads_no_page(Kind kind)
    {
        using var world = new World();
        world.Append(1, 3);
        var (atEnd, past) = (world.Open(kind, after: 3), world.Open(kind, after: 5));
        world.Advance(TimeSpan.FromSeconds(1));
        world.Append(4, 6);
        world.Advance(TimeSpan.FromSeconds(1));
        Assert.Equal([4, 5, 6], atEnd.Orderings);
        Assert.Equal([6], past.Orderings);
        Assert.Equal((0, 1), (world.Statements(CallKind.Ordered), world.Log.CountOf(19)));
    }

    [Theory]
    [InlineData(Kind.All)]
    [InlineData(Kind.Tag)]
    [InlineData(Kind.Slice)]
    public void An_idle_journal_is_polled_once_an_interval_for_any_number_of_queries(Kind kind)
    {
        using var world = new World();
        world.Append(1, 3);
        for (var i = 0; i < 100; i++)
            world.Open(kind);
        world.Advance(TimeSpan.FromSeconds(1));
        var calls = world.Database.CallCount;
        world.Advance(TimeSpan.FromSeconds(20));
        Assert.Equal(calls + 100, world.Database.CallCount);
        Assert.All(world.Readers, reader => Assert.Equal([1, 2, 3], reader.Orderings));
        Assert.Equal(1, world.Statements(CallKind.Ordered));
    }

    [Fact]
    public void Events_that_match_no_query_are_not_fetched()
    {
        using var world = new World();
        world.OpenTag(Kinds.Tag);
        world.OpenSlice(Kinds.Id);
        world.Advance(TimeSpan.FromSeconds(1));
        world.Journal.Append("q", 1, 3, 10, "blue");
        world.Advance(TimeSpan.FromSeconds(1));
        Assert.Equal((0, 0), (world.Statements(CallKind.Rows), world.Statements(CallKind.Ordered)));
    }

    [Theory]
    [InlineData(TagMode.TagTable)]
    [InlineData(TagMode.Csv)]
    public void One_read_serves_different_queries(TagMode mode)
    {
        using var world = new World(options => options with { Tables = options.Tables with { TagMode = mode } });
        var (all, tag, slice) = (world.OpenAll(), world.OpenTag("red"), world.OpenSlice("q"));
        world.Advance(TimeSpan.FromSeconds(1));
        world.Journal.Append("p", 1, 1, 10, "red", "red");
        world.Journal.Append("q", 1, 1, 10, "Red");
        world.Journal.Append("r", 1, 1);
        world.Advance(TimeSpan.FromMilliseconds(200));
        Assert.Equal([1, 2, 3], all.Orderings);
        Assert.Equal([1], tag.Orderings);
        Assert.Equal([2], slice.Orderings);
        Assert.Equal((0, 1), (world.Statements(CallKind.Ordered), world.Statements(CallKind.Rows)));
    }

    [Fact]
    public void Two_queries_that_read_the_same_share_statements_and_pages()
    {
        using var world = new World(options => options with { MaxBufferSize = 10, MaxRowsPerStatement = 10 });
        world.Append(1, 100);
        var (first, second) = (world.OpenAll(), world.OpenAll());
        world.Advance(TimeSpan.FromSeconds(1));
        Assert.Equal(100, first.Events.Count);
        Assert.Equal(100, second.Events.Count);
        Assert.All(first.Events.Zip(second.Events), pair => Assert.Same(pair.First, pair.Second));
        Assert.Equal(10, world.Statements(CallKind.Ordered));
    }

    [Fact]
    public void Full_pages_grow()
    {
        using var world = new World();
        world.Append(1, 10_000);
        var reader = world.OpenAll();
        world.Advance(TimeSpan.FromSeconds(1));
        Assert.Equal(10_000, reader.Events.Count);
        Assert.InRange(world.Statements(CallKind.Ordered), 1, 8);
    }

    [Theory]
    [InlineData(Kind.All)]
    [InlineData(Kind.Tag)]
    [InlineData(Kind.Slice)]
    public void Rows_beyond_the_reorder_buffer_are_read_in_pages_without_loss_or_doubles(Kind kind)
    {
        using var world = new World(options => options with { MaxBufferSize = 5000 });
        var reader = world.Open(kind);
        world.Advance(TimeSpan.FromSeconds(1));
        world.Append(1, 1);
        world.Advance(TimeSpan.FromSeconds(1));
        var late = world.BeginOne(2);
        for (var i = 0; i < 24; i++)
        {
            world.Append(3 + (i * 500), 502 + (i * 500));
            world.Advance(TimeSpan.FromMilliseconds(100));
        }
        Assert.Equal([1], reader.Orderings);
        world.Commit(late);
        world.AdvanceUntil(() => reader.Events.Count >= 12_002, seconds: 5);
        Assert.Equal(Enumerable.Range(1, 12_002).Select(i => (long)i), reader.Orderings);
        Assert.NotEqual(0, world.Statements(CallKind.Ordered));
        world.Append(12_003, 12_003);
        world.Advance(TimeSpan.FromMilliseconds(200));
        Assert.Equal(12_003, reader.Events.Count);
    }

    [Theory]
    [InlineData(Kind.All)]
    [InlineData(Kind.Tag)]
    [InlineData(Kind.Slice)]
    public void A_paused_reader_keeps_one_page_at_most_and_catches_up_by_pages(Kind kind)
    {
        using var world = new World(options => options with { MaxBufferSize = 4 });
        var reader = world.Open(kind);
        world.Advance(TimeSpan.FromSeconds(1));
        reader.IsEager = false;
        for (var i = 1; i <= 100; i++)
        {
            world.Append(i, i);
            world.Advance(TimeSpan.FromSeconds(1));
        }
        Assert.InRange(world.Engine.Budget().Used, 1, 9 * 138);
        reader.IsEager = true;
        world.AdvanceUntil(() => reader.Events.Count == 100, seconds: 2);
        Assert.Equal(Enumerable.Range(1, 100).Select(i => (long)i), reader.Orderings);
    }

    [Theory]
    [InlineData(Kind.All)]
    [InlineData(Kind.Tag)]
    [InlineData(Kind.Slice)]
    public void Paused_readers_lose_their_pages_when_bytes_run_out_and_read_them_again(Kind kind)
    {
        using var world = new World(options => options with { MaxBufferSize = 4, MaxRowsPerStatement = 4, MaxBufferedBytes = 1500 });
        world.Append(1, 40);
        var pausedReaders = Enumerable.Range(0, 5).Select(_ => world.Open(kind)).ToList();
        foreach (var pausedReader in pausedReaders)
        {
            pausedReader.IsEager = false;
            pausedReader.Step();
        }
        world.Advance(TimeSpan.FromMilliseconds(20));
        pausedReaders.ForEach(pausedReader => pausedReader.Step());
        Assert.NotEqual(0, world.Engine.Budget().Used);
        var reader = world.OpenCurrent(Kinds.Id);
        world.AdvanceUntil(() => reader.IsCompleted, seconds: 60);
        pausedReaders.ForEach(pausedReader => pausedReader.IsEager = true);
        world.AdvanceUntil(() => pausedReaders.TrueForAll(pausedReader => pausedReader.Events.Count == 40));
        Assert.All(pausedReaders, pausedReader => Assert.Equal(Enumerable.Range(1, 40).Select(i => (long)i), pausedReader.Orderings));
    }

    [Theory]
    [InlineData(Kind.All)]
    [InlineData(Kind.Tag)]
    [InlineData(Kind.Slice)]
    public void A_query_that_catches_up_while_others_write_follows_soon(Kind kind)
    {
        using var world = new World();
        world.Append(1, 600);
        var reader = world.Open(kind);
        // Each statement takes longer than the tail needs to see the next event.
        Dictionary<ScriptedCall, TimeSpan> begun = [];
        world.IsHeld = call =>
        {
            begun.TryAdd(call, world.Clock.Now);
            return call.IsPages && world.Clock.Now - begun[call] < TimeSpan.FromMilliseconds(35);
        };
        for (var i = 601; i <= 800; i++)
        {
            world.Append(i, i);
            world.Advance(TimeSpan.FromMilliseconds(10));
        }
        world.IsHeld = _ => false;
        world.Advance(TimeSpan.FromSeconds(1));
        Assert.Equal(Enumerable.Range(1, 800).Select(i => (long)i), reader.Orderings);
        Assert.InRange(world.Statements(CallKind.Ordered), 1, 5);
    }

    [Theory]
    [InlineData(Kind.All)]
    [InlineData(Kind.Tag)]
    [InlineData(Kind.Slice)]
    public void A_paused_reader_at_the_end_of_its_page_reads_later_arrivals_again(Kind kind)
    {
        using var world = new World(options => options with { MaxBufferedBytes = 10 * 138 });
        var reader = world.Open(kind);
        world.Advance(TimeSpan.FromSeconds(1));
        world.Append(1, 1);
        world.Advance(TimeSpan.FromMilliseconds(200));
        reader.IsEager = false;
        Assert.Equal([1], reader.Orderings);
        reader.Step();
        world.Settle();
        world.Append(2, 2);
        world.Advance(TimeSpan.FromMilliseconds(200));
        reader.Step();
        Assert.Equal([1, 2], reader.Orderings);
        world.Append(3, 4);
        world.Advance(TimeSpan.FromMilliseconds(200));
        world.Engine.Budget().Reserve(2000);
        world.OpenCurrent("x");
        world.Advance(TimeSpan.FromSeconds(3));
        Assert.Equal(2000, world.Engine.Budget().Used);
        world.Engine.Budget().Release(2000);
        reader.IsEager = true;
        world.Advance(TimeSpan.FromSeconds(1));
        Assert.Equal([1, 2, 3, 4], reader.Orderings);
    }

    [Fact]
    public void Rows_that_arrive_before_the_last_page_leave_it_room()
    {
        using var world = new World(options => options with { MaxBufferedBytes = 20 * 138, MaxConcurrentQueries = 1 });
        world.Open("x");
        world.Advance(TimeSpan.FromSeconds(1));
        world.Append(1, 1);
        var late = world.BeginOne(2);
        world.Append(3, 3);
        world.Advance(TimeSpan.FromSeconds(1));
        var readers = Enumerable.Range(0, 10).Select(_ => world.OpenAll()).ToList();
        world.Advance(TimeSpan.FromSeconds(1));
        Assert.All(readers, reader => Assert.Equal([1], reader.Orderings));
        world.IsHeld = call => call.IsPages;
        world.OpenCurrent("y");
        world.Settle();
        world.Commit(late);
        world.Advance(TimeSpan.FromSeconds(1));
        world.Append(4, 5);
        world.Advance(TimeSpan.FromSeconds(1));
        world.IsHeld = _ => false;
        world.AdvanceUntil(() => readers.TrueForAll(reader => reader.Events.Count == 5), seconds: 10);
    }

    [Fact]
    public void The_reorder_buffer_leaves_other_queries_room()
    {
        using var world = new World(options => options with { MaxBufferedBytes = 8 * 138 });
        var reader = world.OpenAll();
        world.Advance(TimeSpan.FromSeconds(1));
        var late = world.BeginOne(1);
        world.Append(2, 30);
        world.Advance(TimeSpan.FromSeconds(1));
        var byId = world.OpenCurrent(Kinds.Id);
        world.AdvanceUntil(() => byId.IsCompleted, seconds: 5);
        world.Commit(late);
        world.AdvanceUntil(() => reader.Events.Count == 30, seconds: 10);
    }

    [Theory]
    [InlineData(Kind.All)]
    [InlineData(Kind.Tag)]
    [InlineData(Kind.Slice)]
    public void A_jump_over_a_large_lag_loses_nothing(Kind kind)
    {
        using var world = new World(options => options with { TailMaxLag = 20_000 });
        var reader = world.Open(kind);
        world.Advance(TimeSpan.FromSeconds(1));
        world.Append(1, 2);
        var late = world.BeginOne(3);
        world.Journal.Append("q", 1, 15_000);
        world.Append(4, 5);
        world.Journal.Append("q", 15_001, 30_000);
        world.Append(6, 7);
        world.Advance(TimeSpan.FromSeconds(10));
        Assert.Equal(1, world.Log.CountOf(11));
        Assert.Equal(2, reader.Events.Count);
        world.Commit(late);
        world.Append(8, 8);
        world.AdvanceUntil(() => reader.Events.Exists(row => row.PersistenceId == Kinds.Id && row.SequenceNumber == 8), seconds: 10);
        Assert.Equal([1, 2, 3, 4, 5, 6, 7, 8], reader.Events.Where(row => row.PersistenceId == Kinds.Id).Select(row => row.SequenceNumber));
        Assert.Equal(reader.Orderings.Order(), reader.Orderings);
        Assert.Equal(kind == Kind.All ? 30_008 : 8, reader.Events.Count);
    }

    [Fact]
    public void A_read_of_rows_that_fails_loses_nothing()
    {
        using var world = new World();
        var (all, tag) = (world.OpenAll(), world.OpenTag(Kinds.Tag));
        world.Advance(TimeSpan.FromSeconds(1));
        world.Database.Fault = call => call.Kind == CallKind.Rows ? new ScriptedFault(Throttled.Journal.Database.FaultKind.Transient) : null;
        world.Append(1, 3);
        world.Advance(TimeSpan.FromSeconds(1));
        world.Database.Fault = null;
        world.Append(4, 4);
        world.Advance(TimeSpan.FromSeconds(1));
        Assert.Equal([1, 2, 3, 4], all.Orderings);
        Assert.Equal([1, 2, 3, 4], tag.Orderings);
    }

    [Fact]
    public void An_unreadable_row_ends_the_queries_that_want_it_with_a_reason()
    {
        using var world = new World();
        var (all, slice) = (world.OpenAll(), world.OpenSlice("q"));
        world.Advance(TimeSpan.FromSeconds(1));
        world.Append(1, 2);
        world.Journal.RowsOf(Kinds.Id)[1].IsPoisoned = true;
        world.Advance(TimeSpan.FromSeconds(1));
        Assert.Contains("all events", Assert.IsType<JournalException>(all.Failure).Message, StringComparison.Ordinal);
        Assert.IsType<JournalException>(slice.Failure ?? new JournalException("it may go on"));
    }

    [Fact]
    public void Without_live_queries_it_sends_no_statement()
    {
        using var world = new World();
        List<PolledReader> readers = [world.OpenAll(), world.OpenTag("x"), world.OpenAll(isLive: false)];
        world.Advance(TimeSpan.FromSeconds(1));
        readers.ForEach(reader => reader.Dispose());
        world.Advance(TimeSpan.FromSeconds(1));
        Assert.False(world.Engine.HasFollowers());
        var calls = world.Database.CallCount;
        world.Advance(TimeSpan.FromHours(1));
        Assert.Equal(calls, world.Database.CallCount);
    }
}
