using Microsoft.Extensions.Logging;
using Throttled.Journal;
using Throttled.Testing.Scripted;
using Throttled.Projections.Diagnostics;
using Throttled.Projections.Store;

namespace Throttled.Projections.Tests.Diagnostics;

public sealed class TargetNewsTests : IDisposable
{
    private static readonly JournalEvent Event = new() { PersistenceId = "a", SequenceNumber = 7, Ordering = 12, Payload = default };
    private static readonly InvalidOperationException Cause = new("no such account");

    private readonly RecordedLog _log = new();
    private readonly ProjectionMetrics _metrics = new("balances");
    private readonly FakeClock _clock = new();
    private readonly Outages _outages;
    private readonly TargetNews _news;

    public TargetNewsTests()
    {
        _outages = Outages.Of(new() { Name = "balances", Source = ProjectionSource.All, TimeProvider = _clock }, _log);
        _news = News("live");
    }

    public void Dispose()
    {
        _metrics.Dispose();
        _log.Dispose();
    }

    [Fact]
    public void A_failed_attempt_names_the_event_by_id_number_and_ordering()
    {
        _news.Failed(3, Event, 2, 5, Cause);
        Said(40, LogLevel.Warning, "Lane 3 of live: the event a 7 (12) failed, attempt 2 of 5.");
    }

    [Fact]
    public void An_event_that_is_passed_over_is_an_error()
    {
        _news.Skipped(3, Event, Cause);
        Said(41, LogLevel.Error, "Lane 3 of live: the event a 7 (12) was skipped after its last attempt.");
    }

    [Fact]
    public void A_dead_letter_is_an_error_and_what_queues_behind_it_is_not()
    {
        _news.Parked(3, new(Event, "no such account", 5), Cause);
        _news.Parked(3, new(Event, null, 0), null);
        Said(42, LogLevel.Error,
            "Lane 3 of live: the event a 7 (12) failed at attempt 5 and is a dead letter now; later events of its persistence id queue behind it until it is "
            + "retried or discarded.");
        Said(43, LogLevel.Debug, "Lane 3 of live: the event a 7 (12) queues behind a dead letter.");
    }

    [Fact]
    public void A_read_model_that_is_away_is_told_of_once_and_when_all_who_need_it_have_it_again()
    {
        var rebuilt = News("rebuilt");
        _news.Retrying(3, Cause);
        _news.Retrying(3, Cause);
        rebuilt.Retrying(3, Cause);
        _outages.ReadModel.Misses(this, Cause);
        _clock.Advance(TimeSpan.FromSeconds(7));
        _news.Recovered(3);
        rebuilt.GaveUp(3);
        Assert.Equal(0, _log.CountOf(7));
        _outages.ReadModel.Has(this);
        Said(6, LogLevel.Warning,
            "Projection balances: the read model cannot be used (no such account). Whatever needs it tries again until it can; lanes that it answers go on.");
        Said(7, LogLevel.Information, "Projection balances: the read model can be used again, after 7 s.");
        _news.Retrying(3, Cause);
        Assert.Equal(2, _log.CountOf(6));
    }

    [Fact]
    public void A_lane_that_a_swap_a_reset_or_a_takeover_fences_is_worth_no_warning()
    {
        for (var epoch = 1; epoch <= 8; epoch++)
            _news.Fenced(4, epoch, "Rows are missing.");
        Assert.Equal((8, 0), (_log.CountOf(33), _log.CountOf(36)));
        Assert.All(_log.LevelsOf(33), level => Assert.Equal(LogLevel.Debug, level));
    }

    [Fact]
    public void A_lane_that_is_fenced_twice_and_long_after_is_worth_no_warning()
    {
        for (var takeover = 0; takeover < 4; takeover++)
        {
            _news.Fenced(4, 7, "Rows are missing.");
            _news.Fenced(4, 7, "Rows are missing.");
            _clock.Advance(TimeSpan.FromHours(1));
        }
        Assert.Equal((8, 0), (_log.CountOf(33), _log.CountOf(36)));
    }

    [Fact]
    public void A_lane_that_is_fenced_again_and_again_without_a_command_says_so_once()
    {
        for (var i = 0; i < 5; i++)
        {
            _news.Fenced(4, 7, "Rows are missing.");
            _news.Committed(1, TimeSpan.FromMilliseconds(1));
            _clock.Advance(TimeSpan.FromMinutes(50));
        }
        Said(36, LogLevel.Warning,
            "Lane 4 of live: another process changes it again and again, so that this one writes nothing (Rows are missing.). If two processes have the same 'Process', give each its own name. "
            + "If rows were changed by hand, reset the projection.");
    }

    [Fact]
    public void What_a_driver_says_over_several_lines_is_one_line()
    {
        _news.Stopped(3, new InvalidOperationException("42P01: relation \"x\" does not exist\r\n\r\nPOSITION: 15."));
        Said(34, LogLevel.Error, "Lane 3 of live: stands still until it is resumed. 42P01: relation \"x\" does not exist POSITION: 15.");
    }

    [Fact]
    public void Lanes_whose_journal_can_not_be_read_on_are_told_of_together()
    {
        _news.ReadStopped([3, 4], Cause);
        _news.Stopped(3, Cause);
        _news.Stopped(4, Cause);
        Said(35, LogLevel.Error, "Lanes 3, 4 of live: stand still until they are resumed. no such account.");
        Assert.Equal(0, _log.CountOf(34));
    }

    [Fact]
    public void A_lane_that_ends_says_why()
    {
        _news.Stopped(3, Cause);
        _news.Fenced(4, 1, "The epoch is 2.");
        Said(34, LogLevel.Error, "Lane 3 of live: stands still until it is resumed. no such account.");
        Said(33, LogLevel.Debug, "Lane 4 of live: was changed by a command or by another process, and wrote nothing. The epoch is 2.");
    }

    [Fact]
    public void A_journal_that_cannot_be_read_is_told_of_once_until_it_can()
    {
        var rebuilt = News("rebuilt");
        _news.ReadFailed(0, Cause);
        _news.ReadFailed(0, Cause);
        rebuilt.ReadFailed(0, Cause);
        _clock.Advance(TimeSpan.FromSeconds(65));
        Assert.Equal(("no such account", TimeSpan.FromSeconds(65)), _outages.Journal[0].Now);
        rebuilt.ReadsEnded(0);
        _news.ReadWorks(0);
        _news.ReadWorks(0);
        Said(8, LogLevel.Error, "Projection balances: the journal cannot be read (no such account). It is tried again until it can.");
        Said(9, LogLevel.Information, "Projection balances: the journal can be read again, after 65 s.");
        Assert.Null(_outages.Journal[0].Now);
    }

    [Fact]
    public void A_reader_that_is_closed_is_no_error()
    {
        _news.ReadFailed(0, new ObjectDisposedException(null, "the actor system terminates"));
        Said(46, LogLevel.Information,
            "Projection balances: the journal's reader is closed (the actor system terminates). The projection waits until it is stopped.");
    }

    [Fact]
    public void Events_that_nobody_takes_are_told_of_once_for_each_kind()
    {
        foreach (var _ in (int[])[1, 2])
        {
            _news.Unhandled(new(Event, "text"));
            _news.PassedOver(new() { PersistenceId = "a", SequenceNumber = 7, Ordering = 12, Manifest = "opened", Payload = default });
        }
        Said(44, LogLevel.Information, "live: the decoder passes over events with the manifest \"opened\". The first is a 7 (12); the others are not told of.");
        Said(45, LogLevel.Warning,
            "live: the handler does nothing with events of the type System.String. The first is a 7 (12); the others are counted and not told of. "
            + "If the type is not the one that you expect, correct the 'Decoder'. Otherwise handle the type, or have the decoder return null for it.");
    }

    [Fact]
    public void A_command_that_is_none_is_told_of_by_the_verb_that_it_has()
    {
        _news.Executed(0, new(9, "live", default) { VerbText = "Explode" }, CommandState.Refused, "The command is none.");
        Said(21, LogLevel.Warning, "Explode of live is refused (command 9). The command is none.");
    }

    [Fact]
    public void A_command_ends_with_a_word()
    {
        _news.Executed(0, new(9, "live", CommandVerb.Retry), CommandState.Done, "2 events were handled.");
        _news.Executed(0, new(10, "live", CommandVerb.Discard), CommandState.Refused, "There is no such dead letter.");
        Said(20, LogLevel.Information, "Retry of live is done (command 9). 2 events were handled.");
        Said(21, LogLevel.Warning, "Discard of live is refused (command 10). There is no such dead letter.");
    }

    private TargetNews News(string target) => new(target, _log, _metrics.Of(target), _outages, _clock);

    private void Said(int id, LogLevel level, string text) =>
        Assert.Equal((level, text), (Assert.Single(_log.LevelsOf(id)), Assert.Single(_log.TextsOf(id))));
}
