namespace Throttled.Journal.Tests.Pages;

public sealed class PausedReaderTests : IDisposable
{
    private const int PausedReaders = 10;

    // A row counts 138 bytes, so three pages of two rows use up the budget.
    private readonly World _world = new(options => options with
    {
        MaxBufferSize = 2,
        MaxQueriesPerStatement = 1,
        MaxConcurrentQueries = 1,
        MaxBufferedBytes = 800,
    });

    public void Dispose() => _world.Dispose();

    [Fact]
    public void Paused_readers_do_not_stop_the_others()
    {
        var pausedReaders = OpenPausedReaders();
        _world.Journal.Append("q", 1, 20);
        var reader = _world.OpenCurrent("q");
        _world.AdvanceUntil(() => reader.IsCompleted, seconds: 40);
        Assert.Equal(20, reader.Events.Count);
        Assert.All(pausedReaders, pausedReader => Assert.InRange(pausedReader.Events.Count, 0, 1));
    }

    [Fact]
    public void Paused_readers_lose_nothing()
    {
        var pausedReaders = OpenPausedReaders();
        _world.Advance(TimeSpan.FromSeconds(30));
        foreach (var pausedReader in pausedReaders)
            pausedReader.IsEager = true;
        _world.AdvanceUntil(() => pausedReaders.All(pausedReader => pausedReader.Events.Count == 4));
        Assert.All(pausedReaders, pausedReader => Assert.Equal([1, 2, 3, 4], pausedReader.SequenceNumbers));
    }

    [Fact]
    public void No_reader_loses_a_page_while_there_is_room()
    {
        _world.Journal.Append("p", 1, 2);
        var pausedReader = _world.Open("p");
        pausedReader.IsEager = false;
        pausedReader.Step();
        _world.Advance(TimeSpan.FromMinutes(1));
        Assert.Equal(2 * 138, _world.Engine.Budget().Used);
    }

    [Fact]
    public void Paused_readers_take_no_more_rows_from_the_tail_than_the_budget_allows()
    {
        var pausedReaders = OpenPausedReaders();
        _world.Advance(TimeSpan.FromSeconds(30));
        for (var i = 0; i < PausedReaders; i++)
            _world.Journal.Append($"p{i}", 5, 8);
        _world.Advance(TimeSpan.FromSeconds(5));
        Assert.InRange(_world.Engine.Budget().Used, 0, 800 + (2 * 138));
        Assert.Equal(PausedReaders, pausedReaders.Count);
    }

    [Fact]
    public void Rows_that_the_tail_brought_to_paused_readers_do_not_stop_the_others()
    {
        OpenPausedReaders();
        for (var round = 0; round < 10; round++)
        {
            for (var i = 0; i < PausedReaders; i++)
                _world.Journal.Append($"p{i}", 5 + round, 5 + round);
            _world.Journal.Append($"q{round}", 1, 6);
            var reader = _world.OpenCurrent($"q{round}");
            _world.AdvanceUntil(() => reader.IsCompleted, seconds: 40);
        }
    }

    private List<PolledReader> OpenPausedReaders()
    {
        for (var i = 0; i < PausedReaders; i++)
            _world.Journal.Append($"p{i}", 1, 4);
        List<PolledReader> pausedReaders = [.. Enumerable.Range(0, PausedReaders).Select(i => _world.Open($"p{i}"))];
        foreach (var pausedReader in pausedReaders)
        {
            pausedReader.IsEager = false;
            pausedReader.Step();
        }
        _world.Settle();
        foreach (var pausedReader in pausedReaders)
            pausedReader.Step();
        return pausedReaders;
    }
}
