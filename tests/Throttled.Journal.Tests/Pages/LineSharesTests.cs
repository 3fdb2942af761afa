using Throttled.Journal.Loop;
using Throttled.Journal.Pages;
using Throttled.Testing.Scripted;

namespace Throttled.Journal.Tests.Pages;

public sealed class LineSharesTests
{
    private static readonly int Cores = Environment.ProcessorCount;

    private readonly FakeClock _clock = new();
    private readonly LineShares _shares;

    public LineSharesTests() => _shares = new(new JournalLoop(_clock, new ManualScheduler(), static _ => { }), Cores);

    [Fact]
    public void Alone_the_statements_by_id_may_take_all_permits() => Assert.Equal(int.MaxValue, _shares.ByIdRoom(1000, singlesWait: false));

    [Fact]
    public void While_a_single_statement_waits_or_runs_no_more_than_the_cores_run_beside_it()
    {
        Assert.Equal(Cores, _shares.ByIdRoom(1000, singlesWait: true));
        _shares.Started(isSingle: true);
        _shares.Started(isSingle: false);
        Assert.Equal(Cores - 1, _shares.ByIdRoom(1000, singlesWait: false));
        _shares.Ended(isSingle: false);
        Assert.Equal(Cores, _shares.ByIdRoom(1000, singlesWait: false));
    }

    [Fact]
    public void Those_that_run_already_are_let_run()
    {
        for (var i = 0; i < Cores + 5; i++)
            _shares.Started(isSingle: false);
        Assert.Equal(0, _shares.ByIdRoom(1000, singlesWait: true));
    }

    [Fact]
    public void One_permit_is_kept_for_single_statements_where_there_are_two()
    {
        Assert.Equal(1, _shares.ByIdRoom(permits: 2, singlesWait: true));
        Assert.Equal(1, _shares.ByIdRoom(permits: 1, singlesWait: true));
    }

    [Fact]
    public void The_room_is_kept_while_a_reader_is_at_its_page_and_no_longer()
    {
        _shares.Started(isSingle: true);
        _shares.Ended(isSingle: true);
        _clock.Advance(TimeSpan.FromMilliseconds(49));
        Assert.Equal(Cores, _shares.ByIdRoom(1000, singlesWait: false));
        _clock.Advance(TimeSpan.FromMilliseconds(1));
        Assert.Equal(int.MaxValue, _shares.ByIdRoom(1000, singlesWait: false));
    }
}
