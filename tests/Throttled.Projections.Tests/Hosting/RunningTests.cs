using System.Collections.Concurrent;
using System.Text;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Throttled.Journal.Sqlite;

namespace Throttled.Projections.Tests.Hosting;

/// <summary>Projections that a host runs over a real journal.</summary>
public sealed class RunningTests : IDisposable
{
    private readonly HostedFiles _files = new();

    public void Dispose() => _files.Delete();

    [Fact]
    public async Task A_projection_runs_with_its_host_and_continues_with_the_next_host()
    {
        await AppendAsync(1, 20);
        Assert.Equal(Enumerable.Range(1, 20), await RunAsync(20));
        await AppendAsync(21, 25);
        // The first events are not handled again.
        Assert.Equal(Enumerable.Range(21, 5), await RunAsync(5));
    }

    [Fact]
    public async Task A_journal_that_was_emptied_while_no_host_ran_is_detected_and_no_new_event_is_skipped()
    {
        await AppendAsync(1, 20);
        await RunAsync(20);
        File.Delete(_files.JournalPath);
        await AppendAsync(1, 5);
        var handler = new Recorder(isBlocked: false);
        using var host = Build(handler);
        await host.StartAsync();
        var control = new ProjectionControl(_files.OpenReadModel());
        await Wait.UntilAsync(
            async () => (await control.StatusAsync("balances")).SelectMany(each => each.Lanes).Any(lane => lane.State == LaneState.Failed), () => "a lane fails");
        Assert.Contains(
            (await control.StatusAsync("balances"))[0].Lanes, lane => lane.Error?.Contains("this journal has issued orderings only up to 5:", StringComparison.Ordinal) == true);
        Assert.Empty(handler.Handled);
        await control.ResetAsync("balances");
        await Wait.UntilAsync(() => handler.Handled.Count == 5, "the new journal is handled");
        await host.StopAsync();
    }

    [Fact]
    public async Task A_stopping_host_waits_for_the_batch_in_hand()
    {
        await AppendAsync(1, 1);
        var handler = new Recorder(isBlocked: true);
        using (var host = Build(handler))
        {
            await host.StartAsync();
            await handler.Entered.WithinAsync("a batch in hand");
            var stop = host.StopAsync(CancellationToken.None);
            handler.Release();
            await stop.WithinAsync("the stop");
        }
        Assert.Equal([1], handler.Handled);
        await AppendAsync(2, 2);
        Assert.Equal([2], await RunAsync(1));
    }

    [Fact]
    public async Task A_host_that_runs_out_of_time_to_stop_rolls_the_batch_back()
    {
        await AppendAsync(1, 1);
        var handler = new Recorder(isBlocked: true);
        using (var host = Build(handler))
        {
            await host.StartAsync();
            await handler.Entered.WithinAsync("a batch in hand");
            // Only the token ends the batch.
            await host.StopAsync(new CancellationToken(canceled: true)).WithinAsync("the stop");
        }
        Assert.Empty(handler.Handled);
        Assert.Equal([1], await RunAsync(1));
    }

    private async Task<IEnumerable<int>> RunAsync(int count)
    {
        var handler = new Recorder(isBlocked: false);
        using var host = Build(handler);
        await host.StartAsync();
        await Wait.UntilAsync(() => handler.Handled.Count >= count, $"{count} events");
        await host.StopAsync();
        return handler.Handled.Order();
    }

    private IHost Build(ProjectionHandler handler)
    {
        var builder = new HostApplicationBuilder(new HostApplicationBuilderSettings { DisableDefaults = true });
        builder.Services.AddSingleton(_ => _files.OpenJournal()).AddSingleton(_ => _files.OpenReadModel());
        builder.Services.AddProjection("balances", handler, projection => projection.WithOptions(options => options with
        {
            Lanes = 2,
            Decoder = new JsonEvents().Add<int>("number").Decode,
        }));
        return builder.Build();
    }

    private async Task AppendAsync(int first, int last)
    {
        await using var appender = SqliteJournal.OpenAppender(_files.JournalString);
        await appender.CreateAsync();
        await appender.AppendAsync([.. Enumerable.Range(first, last - first + 1).Select(number => new JournalEvent
        {
            PersistenceId = $"id-{number}",
            SequenceNumber = 1,
            Manifest = "number",
            Payload = Encoding.UTF8.GetBytes($"{number}"),
        })]);
    }

    /// <summary>Records the events of the batches that it has handled.</summary>
    private sealed class Recorder(bool isBlocked) : BatchHandler
    {
        private readonly TaskCompletionSource _entered = new(TaskCreationOptions.RunContinuationsAsynchronously);
        private readonly TaskCompletionSource _released = new(TaskCreationOptions.RunContinuationsAsynchronously);

        internal ConcurrentQueue<int> Handled { get; } = [];

        internal Task Entered => _entered.Task;

        internal void Release() => _released.TrySetResult();

        public override async Task HandleAsync(ProjectionBatch batch, CancellationToken cancellationToken)
        {
            _entered.TrySetResult();
            if (isBlocked)
                await _released.Task.WaitAsync(cancellationToken);
            foreach (var each in batch)
                Handled.Enqueue((int)each.Payload);
        }
    }
}
