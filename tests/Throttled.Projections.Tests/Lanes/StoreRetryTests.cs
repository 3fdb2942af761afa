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
        _availability = ProjectionAvailability.Of(options, "'app'", _log);
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
    public async Task A_fenced_call_ends_the_outage()
    {
        var attempts = 0;
        await Assert.ThrowsAsync<FencedException>(() => ExecuteAsync(() => ++attempts < 3 ? new TimeoutException("unavailable") : new FencedException("moved")));
        Assert.Equal((1, 1), (_log.CountOf(106), _log.CountOf(107)));
        Assert.Null(_health.State.Error);
    }

    [Fact]
    public async Task A_lane_that_stops_during_an_outage_ends_the_outage_without_a_log_entry()
    {
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => ExecuteAsync(() =>
        {
            _stopping.Cancel();
            return new TimeoutException("unavailable");
        }));
        Assert.Null(_availability.ReadModel.Unavailable);
        Assert.Equal((1, 0), (_log.CountOf(106), _log.CountOf(107)));
    }

    private Task<int> ExecuteAsync(Func<Exception> answer) => _retry.ExecuteAsync(() => Task.FromException<int>(answer()), default);
}
