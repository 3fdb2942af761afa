using Throttled.Testing.Scripted;

namespace Throttled.Journal.Tests.Pages;

public sealed class PausedReaderTests : IDisposable
{
    private const int Sleepers = 10;

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
        var sleepers = OpenSleepers();
        _world.Journal.Append("q", 1, 20);
        var reader = _world.OpenCurrent("q");
        _world.AdvanceUntil(() => reader.IsCompleted, seconds: 40);
        Assert.Equal(20, reader.Events.Count);
        Assert.All(sleepers, sleeper => Assert.InRange(sleeper.Events.Count, 0, 1));
    }

    [Fact]
    public void Paused_readers_lose_nothing()
    {
        var sleepers = OpenSleepers();
        _world.Advance(TimeSpan.FromSeconds(30));
        foreach (var sleeper in sleepers)
            sleeper.IsEager = true;
        _world.AdvanceUntil(() => sleepers.All(sleeper => sleeper.Events.Count == 4));
        Assert.All(sleepers, sleeper => Assert.Equal([1, 2, 3, 4], sleeper.SequenceNumbers));
    }

    [Fact]
    public void No_reader_loses_a_page_while_there_is_room()
    {
        _world.Journal.Append("p", 1, 2);
        var sleeper = _world.Open("p");
        sleeper.IsEager = false;
        sleeper.Step();
        _world.Advance(TimeSpan.FromMinutes(1));
        Assert.Equal(2 * 138, _world.Engine.Budget().Used);
    }

    [Fact]
    public void Paused_readers_take_no_more_rows_from_the_tail_than_the_budget_allows()
    {
        var sleepers = OpenSleepers();
        _world.Advance(TimeSpan.FromSeconds(30));
        for (var i = 0; i < Sleepers; i++)
            _world.Journal.Append($"p{i}", 5, 8);
        _world.Advance(TimeSpan.FromSeconds(5));
        Assert.InRange(_world.Engine.Budget().Used, 0, 800 + (2 * 138));
        Assert.Equal(Sleepers, sleepers.Count);
    }

    [Fact]
    public void Rows_that_the_tail_brought_to_paused_readers_do_not_stop_the_others()
    {
        OpenSleepers();
        for (var round = 0; round < 10; round++)
        {
            for (var i = 0; i < Sleepers; i++)
                _world.Journal.Append($"p{i}", 5 + round, 5 + round);
            _world.Journal.Append($"q{round}", 1, 6);
            var reader = _world.OpenCurrent($"q{round}");
            _world.AdvanceUntil(() => reader.IsCompleted, seconds: 40);
        }
    }

    private List<PolledReader> OpenSleepers()
    {
        for (var i = 0; i < Sleepers; i++)
            _world.Journal.Append($"p{i}", 1, 4);
        List<PolledReader> sleepers = [.. Enumerable.Range(0, Sleepers).Select(i => _world.Open($"p{i}"))];
        foreach (var sleeper in sleepers)
        {
            sleeper.IsEager = false;
            sleeper.Step();
        }
        _world.Settle();
        foreach (var sleeper in sleepers)
            sleeper.Step();
        return sleepers;
    }
}
