using Microsoft.Extensions.Logging;
using Throttled.Projections.Diagnostics;
using Throttled.Projections.Lanes;
using Throttled.Projections.Tables;
using Throttled.Testing.Scripted;

namespace Throttled.Projections.Tests.Lanes;

public sealed class LaneTelemetryTests : IDisposable
{
    private const string Remedy = " Correct the cause, then run 'throttled projections resume' or call ResumeAsync.";

    private static readonly JournalEvent Event = new() { PersistenceId = "a", SequenceNumber = 7, Ordering = 12, Payload = default };
    private static readonly InvalidOperationException Cause = new("no such account");

    private readonly RecordedLog _log = new();
    private readonly ProjectionMetrics _metrics = new("balances");
    private readonly FakeClock _clock = new();
    private readonly ProjectionAvailability _availability;
    private readonly LaneTelemetry _telemetry;

    public LaneTelemetryTests()
    {
        _availability = ProjectionAvailability.Of(new() { Name = "balances", Source = ProjectionSource.All, TimeProvider = _clock }, "'app' on db", _log);
        _telemetry = Telemetry("live");
    }

    public void Dispose()
    {
        _metrics.Dispose();
        _log.Dispose();
    }

    [Fact]
    public void A_failed_attempt_names_the_event_by_id_sequence_number_and_ordering()
    {
        _telemetry.Failed(3, Event, 2, 5, Cause);
        Logged(140, LogLevel.Warning, "Lane 3 of live: the event a 7 (12) failed, attempt 2 of 5.");
    }

    [Fact]
    public void A_skipped_event_is_logged_as_an_error()
    {
        _telemetry.Skipped(3, Event, Cause);
        Logged(141, LogLevel.Error, "Lane 3 of live: the event a 7 (12) was skipped after its last attempt.");
    }

    [Fact]
    public void A_dead_letter_is_logged_as_an_error_and_events_that_queue_behind_it_are_not()
    {
        _telemetry.DeadLettered(3, new(Event, "no such account", 5), Cause);
        _telemetry.DeadLettered(3, new(Event, null, 0), null);
        Logged(142, LogLevel.Error,
            "Lane 3 of live: the event a 7 (12) failed at attempt 5 and is a dead letter now; later events of its persistence id queue behind it until it is "
            + "retried or discarded.");
        Logged(143, LogLevel.Debug, "Lane 3 of live: the event a 7 (12) queues behind a dead letter.");
    }

    [Fact]
    public void An_unavailable_read_model_is_logged_once_and_again_when_all_callers_have_recovered()
    {
        var rebuilt = Telemetry("rebuilt");
        _telemetry.Retrying(3, Cause);
        _telemetry.Retrying(3, Cause);
        rebuilt.Retrying(3, Cause);
        _availability.ReadModel.Failed(this, Cause);
        _clock.Advance(TimeSpan.FromSeconds(7));
        _telemetry.Recovered(3);
        rebuilt.RetryEnded(3);
        Assert.Equal(0, _log.CountOf(107));
        _availability.ReadModel.Recovered(this);
        Logged(106, LogLevel.Warning,
            "Projection balances: the read model database 'app' on db is unavailable (no such account). Check that it runs, its address, and the rights of its user. Statements are repeated until it answers; lanes whose statements succeed continue.");
        Logged(107, LogLevel.Information, "Projection balances: the read model database is available again after 7 s.");
        _telemetry.Retrying(3, Cause);
        Assert.Equal(2, _log.CountOf(106));
    }

    [Fact]
    public void A_lane_that_is_fenced_by_a_swap_a_reset_or_a_takeover_is_not_logged_as_a_warning()
    {
        for (var epoch = 1; epoch <= 8; epoch++)
            _telemetry.Fenced(4, epoch, "Rows are missing.");
        Assert.Equal((8, 0), (_log.CountOf(133), _log.CountOf(136)));
        Assert.All(_log.LevelsOf(133), level => Assert.Equal(LogLevel.Debug, level));
    }

    [Fact]
    public void A_lane_that_is_fenced_twice_and_again_much_later_is_not_logged_as_a_warning()
    {
        for (var takeover = 0; takeover < 4; takeover++)
        {
            _telemetry.Fenced(4, 7, "Rows are missing.");
            _telemetry.Fenced(4, 7, "Rows are missing.");
            _clock.Advance(TimeSpan.FromHours(1));
        }
        Assert.Equal((8, 0), (_log.CountOf(133), _log.CountOf(136)));
    }

    [Fact]
    public void A_lane_that_is_fenced_repeatedly_without_a_command_is_logged_once_as_a_warning()
    {
        for (var i = 0; i < 5; i++)
        {
            _telemetry.Fenced(4, 7, "Rows are missing.");
            _telemetry.Committed(1, TimeSpan.FromMilliseconds(1));
            _clock.Advance(TimeSpan.FromMinutes(50));
        }
        Logged(136, LogLevel.Warning,
            "Lane 4 of live: another process changes it again and again, so this one writes nothing (Rows are missing.). If two processes have the same 'ProcessName', give each its own. "
            + "If rows were changed by hand, reset the projection.");
    }

    [Fact]
    public void A_driver_message_of_several_lines_is_logged_as_one_line()
    {
        _telemetry.Stopped(3, new InvalidOperationException("42P01: relation \"x\" does not exist\r\n\r\nPOSITION: 15."));
        Logged(134, LogLevel.Error, "Lane 3 of live: is stopped. 42P01: relation \"x\" does not exist POSITION: 15." + Remedy);
    }

    [Fact]
    public void Lanes_that_stop_because_their_journal_cannot_be_read_are_logged_together()
    {
        _telemetry.ReadStopped([3, 4], Cause);
        _telemetry.Stopped(3, Cause);
        _telemetry.Stopped(4, Cause);
        Logged(135, LogLevel.Error, "Lanes 3, 4 of live: are stopped. no such account." + Remedy);
        Assert.Equal(0, _log.CountOf(134));
    }

    [Fact]
    public void The_reason_why_a_lane_ends_is_logged()
    {
        _telemetry.Stopped(3, Cause);
        _telemetry.Fenced(4, 1, "The epoch is 2.");
        Logged(134, LogLevel.Error, "Lane 3 of live: is stopped. no such account." + Remedy);
        Logged(133, LogLevel.Debug, "Lane 4 of live: was changed by a command or by another process, and wrote nothing. The epoch is 2.");
    }

    [Fact]
    public void A_closed_reader_is_not_an_error()
    {
        _telemetry.ReadFailed(0, new ObjectDisposedException(null, "the actor system terminates"));
        Logged(146, LogLevel.Information,
            "Projection balances: the journal's reader is closed (the actor system terminates). The projection waits until it is stopped.");
    }

    [Fact]
    public void A_journal_that_cannot_be_read_is_told_of_once_until_it_can()
    {
        var rebuilt = Telemetry("rebuilt");
        _telemetry.ReadFailed(0, Cause);
        _telemetry.ReadFailed(0, Cause);
        rebuilt.ReadFailed(0, Cause);
        _clock.Advance(TimeSpan.FromSeconds(65));
        Assert.Equal(("no such account", TimeSpan.FromSeconds(65)), _availability.Journal[0].Unavailable);
        rebuilt.ReadsEnded(0);
        _telemetry.Readable(0);
        _telemetry.Readable(0);
        Logged(108, LogLevel.Warning,
            "Projection balances: the journal cannot be read (no such account). If a table is missing, start the write plugin with 'auto-initialize = on', or correct the table names of the reader. The read is repeated until it succeeds.");
        Logged(109, LogLevel.Information, "Projection balances: the journal is available again after 65 s.");
        Assert.Null(_availability.Journal[0].Unavailable);
    }

    [Fact]
    public void Unhandled_events_are_logged_once_for_each_type()
    {
        foreach (var _ in (int[])[1, 2])
        {
            _telemetry.Unhandled(new(Event, "text"));
            _telemetry.PassedOver(new() { PersistenceId = "a", SequenceNumber = 7, Ordering = 12, Manifest = "opened", Payload = default });
        }
        Logged(144, LogLevel.Information, "live: the decoder passes over events with the manifest \"opened\". The first is a 7 (12); others are not logged.");
        Logged(145, LogLevel.Warning,
            "live: the handler does nothing with events of the type System.String. The first is a 7 (12); others are counted and not logged. "
            + "If the type is not the one that you expect, correct the 'Decoder'. Otherwise handle the type, or have the decoder return null for it.");
    }

    [Fact]
    public void An_invalid_command_is_logged_with_its_stored_verb()
    {
        _telemetry.Executed(new(9, "live", default) { VerbText = "Explode" }, CommandOutcome.Refused("The command is none."));
        Logged(121, LogLevel.Warning, "Explode of live is refused (command 9). The command is none.");
    }

    [Fact]
    public void The_end_of_a_command_is_logged_as_done_or_refused()
    {
        _telemetry.Executed(new(9, "live", CommandVerb.Retry), CommandOutcome.Done("2 events were handled."));
        _telemetry.Executed(new(10, "live", CommandVerb.Discard), CommandOutcome.Refused("There is no such dead letter."));
        Logged(120, LogLevel.Information, "Retry of live is done (command 9). 2 events were handled.");
        Logged(121, LogLevel.Warning, "Discard of live is refused (command 10). There is no such dead letter.");
    }

    private LaneTelemetry Telemetry(string version) => new(version, _log, _metrics.Of(version), _availability, _clock);

    private void Logged(int id, LogLevel level, string text) =>
        Assert.Equal((level, text), (Assert.Single(_log.LevelsOf(id)), Assert.Single(_log.TextsOf(id))));
}
