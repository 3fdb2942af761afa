using System.Runtime.CompilerServices;
using Throttled.Projections.Databases;
using Throttled.Projections.Diagnostics;
using Throttled.Projections.Lanes;
using Throttled.Projections.Reads;
using Throttled.Projections.Tests.Lanes;
using Throttled.Testing.Scripted;

namespace Throttled.Projections.Tests.Reads;

public sealed class JournalReadFaultTests : IAsyncLifetime, IDisposable
{
    private static readonly TimeSpan Second = TimeSpan.FromSeconds(1);

    private readonly FakeClock _clock = new();
    private readonly RecordedLog _log = new();
    private readonly ProjectionMetrics _metrics = new("balances");
    private readonly ScriptedLaneStore _store = new();
    private readonly ProjectionAvailability _availability;
    private readonly LaneWorker _worker;
    private volatile Exception? _fault;
    private volatile Exception? _refusal;
    private int _opened;

    public JournalReadFaultTests()
    {
        ProjectionOptions options = new() { Name = "balances", Lanes = 2, TimeProvider = _clock };
        _availability = ProjectionAvailability.Of(options, "'app'", _log);
        var shard = Make.Shard(_ => OpenAsync()) with
        {
            End = _ => _refusal is { } refusal ? Task.FromException<long>(refusal) : Task.FromResult(0L),
        };
        _worker = new([shard], new("balances", new ScriptedBatchHandler(_store, new()), options, _store, new SqliteReadModelDialect())
        {
            Telemetry = new LaneTelemetry("balances", _log, _metrics.Of("balances"), _availability, options.TimeProvider),
        });
    }

    public Task InitializeAsync() => Task.CompletedTask;

    public async Task DisposeAsync() => await _worker.DisposeAsync();

    public void Dispose()
    {
        _metrics.Dispose();
        _log.Dispose();
    }

    [Fact]
    public async Task A_journal_is_reported_as_available_again_even_if_no_event_is_written()
    {
        _fault = new JournalException("no such table");
        _worker.Start(_store.LayOut(2), _store.Epoch);
        await StateAsync(LaneState.Retrying);
        await OutageAsync();
        await AdvanceUntilAsync(() => _opened > 3, "the read to be retried several times");
        Assert.Equal((1, 0), (_log.CountOf(108), _log.CountOf(109)));

        _fault = null;
        await StateAsync(LaneState.Running);
        Assert.Null(_availability.Journal[0].Unavailable);
        Assert.Equal((1, 1), (_log.CountOf(108), _log.CountOf(109)));
    }

    [Fact]
    public async Task A_journal_that_does_not_answer_is_not_reported_as_available()
    {
        (_fault, _refusal) = (new JournalException("no such table"), new JournalException("refused"));
        _worker.Start(_store.LayOut(2), _store.Epoch);
        await StateAsync(LaneState.Retrying);
        _fault = null;
        var opened = _opened;
        await AdvanceUntilAsync(() => _opened > opened, "the read to be retried");
        _clock.Advance(20 * Second);
        Assert.NotNull(_availability.Journal[0].Unavailable);
        _refusal = null;
        await StateAsync(LaneState.Running);
    }

    [Fact]
    public async Task The_outage_of_a_journal_ends_when_its_lanes_are_stopped()
    {
        _fault = new JournalException("no such table");
        _worker.Start(_store.LayOut(2), _store.Epoch);
        await StateAsync(LaneState.Retrying);
        await OutageAsync();
        await _worker.StopAsync([0, 1], default);
        await Wait.UntilAsync(() => _availability.Journal[0].Unavailable is null, "the outage to be over");
        Assert.Equal((1, 0), (_log.CountOf(108), _log.CountOf(109)));
    }

    [Fact]
    public async Task A_permanent_read_error_stops_the_lanes_with_one_log_entry()
    {
        _fault = new InvalidOperationException("no slice");
        _worker.Start(_store.LayOut(2), _store.Epoch);
        await StateAsync(LaneState.Failed);
        Assert.Equal(
            "Lanes 0, 1 of balances: are stopped. no slice. Correct the cause, then run 'throttled projections resume' or call ResumeAsync.",
            Assert.Single(_log.TextsOf(135)));
        Assert.Equal((0, 0), (_log.CountOf(134), _log.CountOf(108)));
    }

    // It is reported after the states of the lanes.
    private Task OutageAsync() => Wait.UntilAsync(() => _availability.Journal[0].Unavailable is not null && _log.CountOf(108) > 0, "the outage is reported");

    private Task StateAsync(LaneState state) => AdvanceUntilAsync(
        () => _worker.Reports is { Count: 2 } reports && reports.All(lane => lane.State == state), $"both lanes to be {state}");

    private Task AdvanceUntilAsync(Func<bool> condition, string what) => Wait.UntilAsync(
        () =>
        {
            _clock.Advance(Second);
            return condition();
        },
        what);

    // The stream never has an event.
    private async IAsyncEnumerable<JournalEvent> OpenAsync([EnumeratorCancellation] CancellationToken cancellation = default)
    {
        Interlocked.Increment(ref _opened);
        if (_fault is { } fault)
            throw fault;
        await new TaskCompletionSource().Task.WaitAsync(cancellation);
        yield break;
    }
}
