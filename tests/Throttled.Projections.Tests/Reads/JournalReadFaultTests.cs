using System.Runtime.CompilerServices;
using Throttled.Journal;
using Throttled.Testing;
using Throttled.Testing.Scripted;
using Throttled.Projections.Diagnostics;
using Throttled.Projections.Lanes;
using Throttled.Projections.Reads;
using Throttled.Projections.Store;
using Throttled.Projections.Tests.Lanes;

namespace Throttled.Projections.Tests.Reads;

public sealed class JournalReadFaultTests : IAsyncLifetime, IDisposable
{
    private static readonly TimeSpan Second = TimeSpan.FromSeconds(1);

    private readonly FakeClock _clock = new();
    private readonly RecordedLog _log = new();
    private readonly ProjectionMetrics _metrics = new("balances");
    private readonly ScriptedLaneStore _store = new();
    private readonly Outages _outages;
    private readonly LaneCrew _crew;
    private volatile Exception? _fault;
    private volatile Exception? _refusal;
    private int _opened;

    public JournalReadFaultTests()
    {
        ProjectionOptions options = new() { Name = "balances", Lanes = 2, TimeProvider = _clock };
        _outages = Outages.Of(options, _log);
        var reads = new ShardReads
        {
            Open = _ => OpenAsync(),
            Ask = _ => _refusal is { } refusal ? Task.FromException(refusal) : Task.CompletedTask,
        };
        _crew = new([reads], new("balances", new ScriptedBatchHandler(_store, new()), options, _store, new SqliteReadModel())
        {
            News = new TargetNews("balances", _log, _metrics.Of("balances"), _outages, options.TimeProvider),
        });
    }

    public Task InitializeAsync() => Task.CompletedTask;

    public async Task DisposeAsync() => await _crew.DisposeAsync();

    public void Dispose()
    {
        _metrics.Dispose();
        _log.Dispose();
    }

    [Fact]
    public async Task A_journal_that_can_be_read_again_is_so_though_nothing_is_written()
    {
        _fault = new JournalException("no such table");
        _crew.Start(_store.LayOut(2), _store.Epoch);
        await StateAsync(LaneState.Retrying);
        Assert.NotNull(_outages.Journal[0].Now);
        await AdvanceUntilAsync(() => _opened > 3, "the read to be tried again and again");
        Assert.Equal((1, 0), (_log.CountOf(8), _log.CountOf(9)));

        _fault = null;
        await StateAsync(LaneState.Running);
        Assert.Null(_outages.Journal[0].Now);
        Assert.Equal((1, 1), (_log.CountOf(8), _log.CountOf(9)));
    }

    [Fact]
    public async Task A_journal_that_does_not_answer_is_not_taken_for_one_that_can_be_read()
    {
        (_fault, _refusal) = (new JournalException("no such table"), new JournalException("refused"));
        _crew.Start(_store.LayOut(2), _store.Epoch);
        await StateAsync(LaneState.Retrying);
        _fault = null;
        var opened = _opened;
        await AdvanceUntilAsync(() => _opened > opened, "the read to be tried again");
        _clock.Advance(20 * Second);
        Assert.NotNull(_outages.Journal[0].Now);
        _refusal = null;
        await StateAsync(LaneState.Running);
    }

    [Fact]
    public async Task Lanes_that_are_stopped_miss_no_journal()
    {
        _fault = new JournalException("no such table");
        _crew.Start(_store.LayOut(2), _store.Epoch);
        await StateAsync(LaneState.Retrying);
        await _crew.StopAsync([0, 1], default);
        await Wait.UntilAsync(() => _outages.Journal[0].Now is null, "the outage to be over");
        Assert.Equal((1, 0), (_log.CountOf(8), _log.CountOf(9)));
    }

    [Fact]
    public async Task What_waiting_does_not_cure_stops_the_lanes_with_one_word()
    {
        _fault = new InvalidOperationException("no slice");
        _crew.Start(_store.LayOut(2), _store.Epoch);
        await StateAsync(LaneState.Failed);
        Assert.Equal("Lanes 0, 1 of balances: are stopped until they are resumed. no slice.", Assert.Single(_log.TextsOf(35)));
        Assert.Equal((0, 0), (_log.CountOf(34), _log.CountOf(8)));
    }

    private Task StateAsync(LaneState state) => AdvanceUntilAsync(
        () => _crew.Reports is { Count: 2 } reports && reports.All(lane => lane.State == state), $"both lanes to be {state}");

    private Task AdvanceUntilAsync(Func<bool> condition, string what) => Wait.UntilAsync(
        () =>
        {
            _clock.Advance(Second);
            return condition();
        },
        what);

    // No event ever comes.
    private async IAsyncEnumerable<JournalEvent> OpenAsync([EnumeratorCancellation] CancellationToken cancellation = default)
    {
        Interlocked.Increment(ref _opened);
        if (_fault is { } fault)
            throw fault;
        await new TaskCompletionSource().Task.WaitAsync(cancellation);
        yield break;
    }
}
