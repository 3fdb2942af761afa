using Throttled.Projections.Running;

namespace Throttled.Projections.Tests.Running;

public sealed class ProjectionTests
{
    private readonly Cluster _cluster = new();

    [Fact]
    public async Task A_projection_runs_from_its_start_to_its_stop()
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
    public async Task A_projection_can_be_started_once()
    {
        await using var projection = new Projection(_cluster.Make("a").Context);
        projection.Start();
        Assert.Throws<InvalidOperationException>(projection.Start);
    }

    [Fact]
    public async Task A_projection_that_was_stopped_before_its_start_cannot_be_started()
    {
        var process = _cluster.Make("a");
        var projection = new Projection(process.Context);
        await projection.DisposeAsync();
        await projection.DisposeAsync();
        Assert.Throws<ObjectDisposedException>(projection.Start);
        Assert.Empty(process.Store.Calls);
    }

    [Fact]
    public async Task A_projection_that_cannot_run_fails_its_completion_and_not_its_stop()
    {
        _cluster.Start("a");
        await using var projection = new Projection(_cluster.Make("b", options => options with { Source = ProjectionSource.BySlices(0, 7) }).Context);
        projection.Start();
        await Assert.ThrowsAsync<ProjectionException>(() => projection.Completion).WithinAsync("the end");
        await projection.StopAsync();
    }

    [Fact]
    public async Task An_aborted_stop_rolls_batches_back()
    {
        var process = _cluster.Make("a");
        await using var projection = new Projection(process.Context);
        projection.Start();
        await Wait.UntilAsync(() => process.Workers.Count == 1 && process.Worker().Running.Count() == 4, "lanes to run");
        var aborted = new TaskCompletionSource();
        process.Worker().Slow = abort =>
        {
            abort.UnsafeRegister(_ => aborted.TrySetResult(), null);
            return aborted.Task;
        };
        using var timeout = new CancellationTokenSource();
        var stop = projection.StopAsync(timeout.Token);
        Assert.False(stop.IsCompleted);
        await timeout.CancelAsync();
        await stop.WithinAsync("the stop");
    }

    [Fact]
    public void Default_process_names_are_unique_and_name_their_machine()
    {
        var (first, second) = (ProjectionContext.NewProcessName(), ProjectionContext.NewProcessName());
        Assert.NotEqual(first, second);
        Assert.StartsWith(Environment.MachineName, first, StringComparison.Ordinal);
    }
}
