using Throttled.Journal.Loop;
using Throttled.Journal.Pages;
using Throttled.Testing.Scripted;

namespace Throttled.Journal.Tests.Pages;

public sealed class FairShareTests
{
    private static readonly int Cores = Environment.ProcessorCount;

    private readonly FakeClock _clock = new();
    private readonly FairShare _fairShare;

    public FairShareTests() => _fairShare = new(new JournalLoop(_clock, new ManualScheduler(), static _ => { }), Cores);

    [Fact]
    public void Alone_the_statements_by_id_may_take_all_permits() => Assert.Equal(int.MaxValue, _fairShare.ByIdRoom(1000, singlesWait: false));

    [Fact]
    public void While_a_single_statement_waits_or_runs_no_more_than_the_cores_run_beside_it()
    {
        Assert.Equal(Cores, _fairShare.ByIdRoom(1000, singlesWait: true));
        _fairShare.Started(isSingle: true);
        _fairShare.Started(isSingle: false);
        Assert.Equal(Cores - 1, _fairShare.ByIdRoom(1000, singlesWait: false));
        _fairShare.Ended(isSingle: false);
        Assert.Equal(Cores, _fairShare.ByIdRoom(1000, singlesWait: false));
    }

    [Fact]
    public void Those_that_run_already_are_let_run()
    {
        for (var i = 0; i < Cores + 5; i++)
            _fairShare.Started(isSingle: false);
        Assert.Equal(0, _fairShare.ByIdRoom(1000, singlesWait: true));
    }

    [Fact]
    public void One_permit_is_kept_for_single_statements_where_there_are_two()
    {
        Assert.Equal(1, _fairShare.ByIdRoom(permits: 2, singlesWait: true));
        Assert.Equal(1, _fairShare.ByIdRoom(permits: 1, singlesWait: true));
    }

    [Fact]
    public void The_room_is_kept_while_a_reader_is_at_its_page_and_no_longer()
    {
        _fairShare.Started(isSingle: true);
        _fairShare.Ended(isSingle: true);
        _clock.Advance(TimeSpan.FromMilliseconds(49));
        Assert.Equal(Cores, _fairShare.ByIdRoom(1000, singlesWait: false));
        _clock.Advance(TimeSpan.FromMilliseconds(1));
        Assert.Equal(int.MaxValue, _fairShare.ByIdRoom(1000, singlesWait: false));
    }
}
