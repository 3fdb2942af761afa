using Throttled.Testing.Scripted;
using Throttled.Projections.Diagnostics;
using Throttled.Projections.Lanes;
using Throttled.Projections.Store;

namespace Throttled.Projections.Tests.Lanes;

public sealed class StorePatienceTests : IDisposable
{
    private readonly RecordedLog _log = new();
    private readonly ProjectionMetrics _metrics = new("balances");
    private readonly CancellationTokenSource _stopping = new();
    private readonly LaneBoard _board = new();
    private readonly Outages _outages;
    private readonly StorePatience _patience;

    public StorePatienceTests()
    {
        ProjectionOptions options = new() { Name = "balances", TimeProvider = new ImmediateClock() };
        var store = new ScriptedLaneStore();
        _outages = Outages.Of(options, _log);
        LaneParts parts = new("balances", new ScriptedBatchHandler(store, new()), options, store, new SqliteReadModel())
        {
            News = new TargetNews("balances", _log, _metrics.Of("balances"), _outages, options.TimeProvider),
        };
        _patience = new(parts, 3, _board, new(parts, _stopping.Token));
    }

    public void Dispose()
    {
        _metrics.Dispose();
        _stopping.Dispose();
        _log.Dispose();
    }

    [Fact]
    public async Task To_be_fenced_is_an_answer()
    {
        var asked = 0;
        await Assert.ThrowsAsync<FencedException>(() => AskAsync(() => ++asked < 3 ? new TimeoutException("away") : new FencedException("moved")));
        Assert.Equal((1, 1), (_log.CountOf(6), _log.CountOf(7)));
        Assert.Null(_board.Error);
    }

    [Fact]
    public async Task A_lane_that_is_stopped_before_there_is_an_answer_misses_it_no_more_and_says_nothing()
    {
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => AskAsync(() =>
        {
            _stopping.Cancel();
            return new TimeoutException("away");
        }));
        Assert.Null(_outages.ReadModel.Now);
        Assert.Equal((1, 0), (_log.CountOf(6), _log.CountOf(7)));
    }

    private Task<int> AskAsync(Func<Exception> answer) => _patience.AskAsync(() => Task.FromException<int>(answer()), default);
}
