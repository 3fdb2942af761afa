using Throttled.Projections.Databases;
using Throttled.Projections.Diagnostics;
using Throttled.Projections.Lanes;
using Throttled.Projections.Tables;
using Throttled.Testing.Scripted;

namespace Throttled.Projections.Tests.Lanes;

public sealed class StoreRetryTests : IDisposable
{
    private readonly RecordedLog _log = new();
    private readonly ProjectionMetrics _metrics = new("balances");
    private readonly CancellationTokenSource _stopping = new();
    private readonly LaneHealth _health = new();
    private readonly ProjectionAvailability _availability;
    private readonly StoreRetry _retry;

    public StoreRetryTests()
    {
        ProjectionOptions options = new() { Name = "balances", TimeProvider = new ImmediateClock() };
        var store = new ScriptedLaneStore();
        _availability = ProjectionAvailability.Of(options, _log);
        LaneContext context = new("balances", new ScriptedBatchHandler(store, new()), options, store, new SqliteReadModelDialect())
        {
            Telemetry = new LaneTelemetry("balances", _log, _metrics.Of("balances"), _availability, options.TimeProvider),
        };
        _retry = new(context, 3, _health, new(context, _stopping.Token));
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
        await Assert.ThrowsAsync<FencedException>(() => ExecuteAsync(() => ++asked < 3 ? new TimeoutException("away") : new FencedException("moved")));
        Assert.Equal((1, 1), (_log.CountOf(6), _log.CountOf(7)));
        Assert.Null(_health.State.Error);
    }

    [Fact]
    public async Task A_lane_that_is_stopped_before_there_is_an_answer_misses_it_no_more_and_says_nothing()
    {
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => ExecuteAsync(() =>
        {
            _stopping.Cancel();
            return new TimeoutException("away");
        }));
        Assert.Null(_availability.ReadModel.Unavailable);
        Assert.Equal((1, 0), (_log.CountOf(6), _log.CountOf(7)));
    }

    private Task<int> ExecuteAsync(Func<Exception> answer) => _retry.ExecuteAsync(() => Task.FromException<int>(answer()), default);
}
