using System.Collections.Concurrent;
using System.Diagnostics;
using Throttled.Projections.Lanes;
using Throttled.Projections.Tables;
using Throttled.Projections.Tests.Lanes;
using Throttled.Projections.Tests.Running;
using Throttled.Testing.Scripted;

namespace Throttled.Projections.Tests.Diagnostics;

/// <summary>A listener that samples as the SDK's default sampler, and a driver that starts an activity in each of its statements.</summary>
public sealed class TracingTests : IDisposable
{
    private readonly ActivitySource _driver = new($"driver {Guid.NewGuid():N}");
    private readonly ConcurrentQueue<(string Statement, Activity? Made)> _statements = [];
    private readonly ConcurrentQueue<Activity> _onThisThread = [];
    private readonly ActivityListener _listener;

    public TracingTests()
    {
        var thread = Environment.CurrentManagedThreadId;
        _listener = new()
        {
            ShouldListenTo = source => source.Name == "Throttled.Projections" || source == _driver,
            Sample = static (ref ActivityCreationOptions<ActivityContext> options) =>
                options.Parent == default || options.Parent.TraceFlags.HasFlag(ActivityTraceFlags.Recorded) ? ActivitySamplingResult.AllDataAndRecorded : ActivitySamplingResult.None,
            ActivityStopped = activity =>
            {
                // Other tests make activities on other threads.
                if (Environment.CurrentManagedThreadId == thread)
                    _onThisThread.Enqueue(activity);
            },
        };
        ActivitySource.AddActivityListener(_listener);
    }

    public void Dispose()
    {
        _listener.Dispose();
        _driver.Dispose();
    }

    [Fact]
    public void The_reconciliation_makes_no_trace_and_neither_does_the_driver_in_it()
    {
        var cluster = new Cluster();
        var process = cluster.Start("a");
        process.Store.Slow = call =>
        {
            Statement(call);
            return Task.CompletedTask;
        };
        cluster.Advance(30);
        Assert.Superset(new HashSet<string> { "read", "renew", "journal end" }, _statements.Select(each => each.Statement).ToHashSet());
        Assert.All(_statements, each => Assert.Null(each.Made));
        Assert.Empty(_onThisThread);
    }

    [Fact]
    public async Task An_idle_lane_makes_no_trace_and_a_batch_of_events_makes_one()
    {
        var (clock, store) = (new FakeClock(), new ScriptedLaneStore());
        var options = new ProjectionOptions { Name = "balances", Lanes = 1, BatchSize = 1, Decoder = static each => each.PersistenceId, TimeProvider = clock };
        using var lane = new Lane(Make.Context(new ScriptedBatchHandler(store, new()), options, store), store.LayOut(1, keepsEpoch: true)[0], store.Epoch) { Changed = _ => { } };
        lane.Start(null);
        await Wait.UntilAsync(() => lane.Queue is not null, "the lane has read its offsets");
        store.Fate = call =>
        {
            Statement($"{call}");
            return CallFate.Done;
        };

        // It stores how far the journal was read, although there is no event.
        lane.Queue!.TryPut(new([], new(50, 0), 0));
        await Wait.UntilAsync(
            () =>
            {
                clock.Advance(TimeSpan.FromMinutes(1));
                lane.Tick();
                return store.Locked(() => store.Commits) == 1;
            },
            "the lane has stored its offset");
        Assert.NotEmpty(_statements);
        Assert.All(_statements, each => Assert.Null(each.Made));

        _statements.Clear();
        lane.Queue.TryPut(Make.Chunk(Make.Event(51)));
        await Wait.UntilAsync(() => store.Locked(() => store.Commits) == 2, "the lane has handled the event");
        await lane.StopAsync(default);
        Assert.NotEmpty(_statements);
        Assert.All(_statements, each => Assert.Equal("batch", each.Made?.Parent?.DisplayName));
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void A_retry_of_a_dead_letter_that_fails_again_has_the_type_of_its_error(bool failsAgain)
    {
        var (store, poison) = (new ScriptedLaneStore(), new Poison());
        var options = new ProjectionOptions
        {
            Name = "balances", MaxAttempts = 1, OnFailure = FailurePolicy.DeadLetter, Decoder = poison.Decode, TimeProvider = new ImmediateClock(),
        };
        poison.Set(1, PoisonKind.Throws);
        using var lane = new ScriptedRunner(Make.Context(new ScriptedBatchHandler(store, poison), options, store), store.LayOut(1, keepsEpoch: true)[0], store.Epoch);
        lane.Step([Make.Event(1)], 1);
        if (!failsAgain)
            poison.Repair();
        lane.Execute(new(1, "balances", CommandVerb.Retry) { PersistenceId = "a" });

        var retry = Assert.Single(_onThisThread);
        Assert.Equal(
            failsAgain ? (ActivityStatusCode.Error, typeof(InvalidOperationException).FullName) : (ActivityStatusCode.Unset, null),
            (retry.Status, (string?)retry.GetTagItem("error.type")));
    }

    private void Statement(string statement)
    {
        using var made = _driver.StartActivity(statement);
        _statements.Enqueue((statement, made));
    }
}
