using Throttled.Testing;
using Throttled.Projections.Running;

namespace Throttled.Projections.Tests.Running;

public sealed class ProjectionTests
{
    private readonly Cluster _cluster = new();

    [Fact]
    public async Task It_runs_from_its_start_to_its_stop()
    {
        var process = _cluster.Make("a");
        await using var projection = new Projection(process.Context);
        projection.Start();
        await Wait.UntilAsync(() => process.Workers.Count == 1 && process.Worker().Running.Count() == 4, "lanes to run");
        Assert.False(projection.Completion.IsCompleted);
        await projection.StopAsync();
        Assert.True(projection.Completion.IsCompletedSuccessfully);
        await projection.StopAsync();
    }

    [Fact]
    public async Task It_is_started_once()
    {
        await using var projection = new Projection(_cluster.Make("a").Context);
        projection.Start();
        Assert.Throws<InvalidOperationException>(projection.Start);
    }

    [Fact]
    public async Task What_was_never_started_is_stopped_at_once_and_cannot_be_started_then()
    {
        var process = _cluster.Make("a");
        var projection = new Projection(process.Context);
        await projection.DisposeAsync();
        await projection.DisposeAsync();
        Assert.Throws<ObjectDisposedException>(projection.Start);
        Assert.Empty(process.Store.Calls);
    }

    [Fact]
    public async Task Its_completion_fails_where_it_cannot_run_and_its_stop_does_not()
    {
        await using var projection = new Projection(_cluster.Make("a", options => options with { Lanes = 17 }).Context);
        projection.Start();
        await Assert.ThrowsAsync<ProjectionException>(() => projection.Completion).WithinAsync("the end");
        await projection.StopAsync();
    }

    [Fact]
    public async Task Who_hurries_its_stop_has_batches_rolled_back()
    {
        var process = _cluster.Make("a");
        await using var projection = new Projection(process.Context);
        projection.Start();
        await Wait.UntilAsync(() => process.Workers.Count == 1 && process.Worker().Running.Count() == 4, "lanes to run");
        var hurried = new TaskCompletionSource();
        process.Worker().Slow = abort =>
        {
            abort.UnsafeRegister(_ => hurried.TrySetResult(), null);
            return hurried.Task;
        };
        using var patience = new CancellationTokenSource();
        var stop = projection.StopAsync(patience.Token);
        Assert.False(stop.IsCompleted);
        await patience.CancelAsync();
        await stop.WithinAsync("the stop");
    }

    [Fact]
    public void Processes_have_names_of_their_own_that_say_where_they_are()
    {
        var (first, second) = (ProjectionContext.NewProcessName(), ProjectionContext.NewProcessName());
        Assert.NotEqual(first, second);
        Assert.StartsWith(Environment.MachineName, first, StringComparison.Ordinal);
    }
}
