namespace Throttled.Journal.Tests.InOrder;

/// <summary>A query in a replay reads its next page while its reader processes one.</summary>
public sealed class ReadAheadTests : IDisposable
{
    // Pages have 2 rows, then 4, then 8.
    private readonly World _world = new(options => options with { MaxBufferSize = 2 });

    private int Pages => _world.Statements(CallKind.Ordered);

    public void Dispose() => _world.Dispose();

    [Theory]
    [InlineData(Kind.All)]
    [InlineData(Kind.Tag)]
    public void The_page_after_a_large_one_is_read_before_its_reader_demands_it(Kind kind)
    {
        _world.Append(1, 100);
        var reader = Take(_world.Open(kind, isLive: false), 2);
        Assert.Equal(1, Pages);
        Take(reader, 1);
        Assert.Equal(3, Pages);
        // No further page is read until the reader takes the one that waits.
        Take(reader, 3);
        Assert.Equal(3, Pages);
        Take(reader, 1);
        Assert.Equal(4, Pages);
        reader.IsEager = true;
        _world.Advance(TimeSpan.FromSeconds(1));
        Assert.Equal(Enumerable.Range(1, 100).Select(i => (long)i), reader.Orderings);
        Assert.True(reader.IsCompleted);
    }

    [Fact]
    public void It_stays_with_one_page_if_half_of_the_byte_budget_is_used()
    {
        _world.Append(1, 100);
        _world.Engine.Budget().Reserve(_world.Options.MaxBufferedBytes / 2);
        Take(_world.OpenAll(isLive: false), 3);
        Assert.Equal(2, Pages);
    }

    [Fact]
    public void A_page_that_waits_for_its_reader_is_released_if_memory_is_needed_and_read_again()
    {
        _world.Append(1, 14);
        var reader = Take(_world.OpenAll(isLive: false), 3);
        var held = _world.Engine.Budget().Used;
        Exhaust();
        Assert.Equal(_world.Options.MaxBufferedBytes, _world.Engine.Budget().Used);
        Assert.NotEqual(0, held);
        _world.Engine.Budget().Release(_world.Options.MaxBufferedBytes);
        reader.IsEager = true;
        _world.Advance(TimeSpan.FromSeconds(1));
        Assert.Equal(Enumerable.Range(1, 14).Select(i => (long)i), reader.Orderings);
        Assert.Equal(0, _world.Engine.Budget().Used);
    }

    [Fact]
    public void A_reader_that_leaves_releases_the_page_that_waits_for_it()
    {
        _world.Append(1, 100);
        var reader = Take(_world.OpenAll(), 3);
        Assert.NotEqual(0, _world.Engine.Budget().Used);
        reader.Dispose();
        _world.Settle();
        Assert.Equal(0, _world.Engine.Budget().Used);
    }

    [Fact]
    public void A_statement_that_reads_ahead_is_cancelled_if_its_reader_leaves()
    {
        _world.Append(1, 100);
        var reader = Take(_world.OpenAll(), 2);
        _world.IsHeld = call => call.Kind == CallKind.Ordered && call.Ordered!.After >= 6;
        Take(reader, 1);
        var ahead = _world.Database.Pending.Single();
        reader.Dispose();
        _world.IsHeld = _ => false;
        _world.Settle();
        Assert.True(ahead.HasEnded);
        Assert.Equal((0, 0), (_world.Engine.Budget().Used, _world.Database.Pending.Count));
    }

    [Fact]
    public void The_end_of_a_current_query_comes_after_the_page_that_was_read_ahead()
    {
        _world.Append(1, 14);
        var reader = Take(_world.OpenAll(isLive: false), 3);
        _world.Advance(TimeSpan.FromSeconds(1));
        Assert.False(reader.IsCompleted);
        reader.IsEager = true;
        _world.Advance(TimeSpan.FromSeconds(1));
        Assert.Equal(14, reader.Events.Count);
        Assert.True(reader.IsCompleted);
    }

    [Fact]
    public void A_live_query_follows_after_the_page_that_was_read_ahead()
    {
        _world.Append(1, 14);
        var reader = Take(_world.OpenAll(), 3);
        _world.Append(15, 16);
        _world.Advance(TimeSpan.FromSeconds(1));
        reader.IsEager = true;
        _world.Advance(TimeSpan.FromSeconds(1));
        var pages = Pages;
        _world.Append(17, 18);
        _world.Advance(TimeSpan.FromSeconds(1));
        Assert.Equal(Enumerable.Range(1, 18).Select(i => (long)i), reader.Orderings);
        Assert.Equal(pages, Pages);
    }

    /// <summary>Lets the reader take so many events more, and everything else run.</summary>
    private PolledReader Take(PolledReader reader, int events)
    {
        reader.IsEager = false;
        var wanted = reader.Events.Count + events;
        for (var i = 0; reader.Events.Count < wanted; i++)
        {
            Assert.InRange(i, 0, 100);
            reader.Step();
            _world.Advance(TimeSpan.FromMilliseconds(20));
        }
        return reader;
    }

    private void Exhaust()
    {
        _world.Engine.Budget().Reserve(_world.Options.MaxBufferedBytes);
        _world.OpenCurrent("x");
        _world.Advance(TimeSpan.FromSeconds(3));
    }
}
