using Throttled.Journal.Database;
using Throttled.Journal.Tests.Pages;

namespace Throttled.Journal.Tests.Faults;

public sealed class PageFaultTests : IDisposable
{
    private readonly World _world = new(options => options with { MaxConcurrentQueries = 1 });

    public void Dispose() => _world.Dispose();

    [Fact]
    public void An_unreadable_row_fails_only_the_query_that_wants_it()
    {
        _world.Journal.Append("p3", 1, 2);
        _world.Journal.RowsOf("p3")[1].IsPoisoned = true;
        _world.Journal.Append("p5", 1, 2);
        var readers = PageSchedulerTests.Open(_world, 8);
        _world.Settle();
        var failed = Assert.Single(readers, reader => reader.Failure is not null);
        Assert.Contains("'p3'", Assert.IsType<JournalException>(failed.Failure).Message, StringComparison.Ordinal);
        Assert.Equal([1, 2], readers[5].SequenceNumbers);
        Assert.Equal(7, readers.Count(reader => reader.IsCompleted));
    }

    [Fact]
    public void An_unreadable_row_of_a_disposed_query_fails_no_other()
    {
        _world.Journal.Append("p1", 1, 1);
        _world.Journal.RowsOf("p1")[0].IsPoisoned = true;
        _world.IsHeld = call => call.IsPages;
        var readers = PageSchedulerTests.Open(_world, 2);
        _world.Settle();
        readers[1].Dispose();
        _world.Settle();
        _world.IsHeld = _ => false;
        _world.Settle();
        Assert.True(readers[0].IsCompleted);
    }

    [Fact]
    public void A_statement_that_timed_out_is_retried_in_halves()
    {
        _world.Database.Fault = call => call.Asks.Count > 2 ? new ScriptedFault(FaultKind.TimedOut) : null;
        var readers = PageSchedulerTests.Open(_world, 8, events: 1);
        _world.Settle();
        Assert.All(readers, reader => Assert.True(reader.IsCompleted));
        Assert.Equal([8, 4, 4, 2, 2, 2, 2], Sizes().Take(7));
    }

    [Fact]
    public void A_single_query_that_timed_out_asks_for_half_the_rows()
    {
        _world.Database.Fault = call => call.IsPages && call.Asks[0].Limit > 100 ? new ScriptedFault(FaultKind.TimedOut) : null;
        _world.Journal.Append("p", 1, 3);
        var reader = _world.OpenCurrent("p");
        _world.AdvanceUntil(() => reader.IsCompleted);
        Assert.Equal([500, 250, 125, 62], _world.Database.Of(CallKind.Pages).Select(call => call.Asks[0].Limit));
        Assert.Equal(3, reader.Events.Count);
    }

    [Fact]
    public void After_a_transient_fault_the_statement_is_retried_after_a_pause()
    {
        var faults = 3;
        _world.Database.Fault = call => call.IsPages && faults-- > 0 ? new ScriptedFault(FaultKind.Transient) : null;
        var readers = PageSchedulerTests.Open(_world, 5, events: 1);
        _world.Settle();
        Assert.Equal([5], Sizes());
        _world.AdvanceUntil(() => readers.All(reader => reader.IsCompleted));
        Assert.Equal([5, 5, 5, 5], Sizes());
    }

    [Fact]
    public void A_transient_fault_that_lasts_is_logged_and_retried()
    {
        _world.Database.Fault = call => call.IsPages ? new ScriptedFault(FaultKind.Transient) : null;
        var readers = PageSchedulerTests.Open(_world, 5, events: 1);
        _world.Advance(TimeSpan.FromMinutes(1));
        Assert.InRange(_world.Log.CountOf(16), 1, 3);
        _world.Database.Fault = null;
        _world.AdvanceUntil(() => readers.All(reader => reader.IsCompleted));
    }

    [Fact]
    public void A_broken_session_keeps_its_permit_until_its_statement_has_ended_on_the_server()
    {
        var lost = Lose();
        _world.Advance(TimeSpan.FromSeconds(5));
        Assert.Equal((1, 1, 1), (_world.Permits.Held, _world.Database.RunningPages, _world.Database.Of(CallKind.Pages).Count()));
        _world.Database.EndLost(lost);
        _world.Advance(TimeSpan.FromSeconds(1));
        Assert.Equal(0, _world.Permits.Held);
        Assert.Equal(2, _world.Database.Of(CallKind.Pages).Count());
    }

    [Fact]
    public void A_broken_session_whose_statement_outlives_the_server_time_out_keeps_its_permit()
    {
        var lost = Lose(isStuck: true);
        _world.Advance(TimeSpan.FromMinutes(5));
        Assert.Equal(1, _world.Permits.Held);
        _world.Database.EndLost(lost);
        _world.Advance(TimeSpan.FromSeconds(1));
        Assert.Equal(0, _world.Permits.Held);
    }

    [Fact]
    public void A_broken_session_whose_state_cannot_be_read_keeps_its_permit_for_the_server_time_out()
    {
        Lose();
        _world.Database.Fault = call => call.Kind == CallKind.StillRunning ? new ScriptedFault(FaultKind.Fatal) : null;
        _world.Advance(TimeSpan.FromSeconds(29));
        Assert.Equal(1, _world.Permits.Held);
        _world.Advance(TimeSpan.FromSeconds(2));
        Assert.Equal(0, _world.Permits.Held);
    }

    [Fact]
    public void During_an_outage_broken_sessions_are_not_checked()
    {
        Lose(new ScriptedFault(FaultKind.ConnectionLost));
        _world.Advance(TimeSpan.FromSeconds(20));
        Assert.Empty(_world.Database.Of(CallKind.StillRunning));
        Assert.Equal(1, _world.Permits.Held);
    }

    private IEnumerable<int> Sizes() => _world.Database.Of(CallKind.Pages).Select(call => call.Asks.Count);

    private ScriptedCall Lose(Exception? later = null, bool isStuck = false)
    {
        _world.IsHeld = call => call.IsPages;
        PageSchedulerTests.Open(_world, 1);
        _world.Settle();
        var call = _world.Database.Pending.Single();
        _world.Database.Fault = _ => later;
        _world.Database.Lose(call, isStuck);
        _world.IsHeld = _ => false;
        _world.Settle();
        return call;
    }
}
