using Throttled.Journal.Loop;
using Throttled.Journal.Pages;

namespace Throttled.Journal.Tests.Pages;

public sealed class FairShareTests
{
    private static readonly int Cores = Environment.ProcessorCount;

    private readonly FakeClock _clock = new();
    private readonly FairShare _fairShare;

    public FairShareTests() => _fairShare = new(new JournalLoop(_clock, new ManualScheduler(), static _ => { }), Cores);

    [Fact]
    public void Without_single_statements_those_by_id_may_take_all_permits() => Assert.Equal(int.MaxValue, _fairShare.ByIdRoom(1000, singlesWait: false));

    [Fact]
    public void Beside_a_single_statement_no_more_run_than_there_are_cores()
    {
        Assert.Equal(Cores, _fairShare.ByIdRoom(1000, singlesWait: true));
        _fairShare.Started(isSingle: true);
        _fairShare.Started(isSingle: false);
        Assert.Equal(Cores - 1, _fairShare.ByIdRoom(1000, singlesWait: false));
        _fairShare.Ended(isSingle: false);
        Assert.Equal(Cores, _fairShare.ByIdRoom(1000, singlesWait: false));
    }

    [Fact]
    public void Running_statements_are_not_stopped()
    {
        for (var i = 0; i < Cores + 5; i++)
            _fairShare.Started(isSingle: false);
        Assert.Equal(0, _fairShare.ByIdRoom(1000, singlesWait: true));
    }

    [Fact]
    public void One_of_two_permits_is_kept_for_single_statements()
    {
        Assert.Equal(1, _fairShare.ByIdRoom(permits: 2, singlesWait: true));
        Assert.Equal(1, _fairShare.ByIdRoom(permits: 1, singlesWait: true));
    }

    [Fact]
    public void A_permit_is_kept_only_while_a_reader_processes_its_page()
    {
        _fairShare.Started(isSingle: true);
        _fairShare.Ended(isSingle: true);
        _clock.Advance(TimeSpan.FromMilliseconds(49));
        Assert.Equal(Cores, _fairShare.ByIdRoom(1000, singlesWait: false));
        _clock.Advance(TimeSpan.FromMilliseconds(1));
        Assert.Equal(int.MaxValue, _fairShare.ByIdRoom(1000, singlesWait: false));
    }
}
