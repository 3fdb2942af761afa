using Microsoft.Extensions.Diagnostics.HealthChecks;
using Throttled.Projections.Hosting;
using Throttled.Projections.Tests.Hosting;
using Throttled.Projections.Tests.Store;
using Throttled.Testing.Scripted;

namespace Throttled.Projections.Tests.Failures;

/// <summary>Handlers that do nothing with some of their events.</summary>
public sealed class UnhandledEventsTests : IDisposable
{
    private const int Events = 40;
    private const int DoesNothing = 145;

    private static readonly MergeTable<int> Even = new MergeTable<int>().Key("number", number => number);

    private readonly HostedFiles _files = new();
    private readonly RecordedLog _log = new();

    public void Dispose()
    {
        _log.Dispose();
        _files.Delete();
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task A_switch_that_matches_no_event_is_reported_by_status_log_and_health(string database)
    {
        var (status, health) = await RunAsync(database, async (batch, cancellation) =>
        {
            foreach (var each in batch)
            {
                if (each.Payload is string)
                    await batch.ExecuteAsync("INSERT INTO seen VALUES (1)", cancellation);
            }
        });
        Assert.Equal((Events, Events), (status.Events, status.UnhandledEvents));
        Assert.Contains("does nothing with events of the type System.Int32", Assert.Single(_log.TextsOf(DoesNothing)), StringComparison.Ordinal);
        Assert.Equal(HealthStatus.Degraded, health.Status);
        Assert.Contains($"has read {Events} events, and its handler did nothing with any of them", health.Description, StringComparison.Ordinal);
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task Only_events_that_the_handler_names_are_counted_as_unhandled(string database)
    {
        var (status, health) = await RunAsync(database, async (batch, cancellation) =>
        {
            foreach (var each in batch)
            {
                if ((int)each.Payload % 4 == 0)
                    batch.Unhandled(each);
                else
                    await batch.ExecuteAsync("INSERT INTO seen VALUES (@number)", cancellation, ("number", each.Payload));
            }
        });
        Assert.Equal((Events, Events / 4), (status.Events, status.UnhandledEvents));
        Assert.Equal(HealthStatus.Healthy, health.Status);
        Assert.Contains($"did nothing with {Events / 4} of {Events} events", health.Description, StringComparison.Ordinal);
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task Events_that_a_fold_leaves_out_are_counted_unless_the_handler_also_writes_directly(string database)
    {
        Assert.Equal((Events, Events / 2), await CountAsync(async (batch, cancellation) => await Even.WriteAsync(batch, "seen", Fold(batch), cancellation)));
        Assert.Equal((Events, 0), await CountAsync(async (batch, cancellation) =>
        {
            await Even.WriteAsync(batch, "seen", Fold(batch), cancellation);
            foreach (var each in batch.Where(each => (int)each.Payload % 2 != 0))
                await batch.ExecuteAsync("INSERT INTO seen VALUES (@number)", cancellation, ("number", each.Payload));
        }));
        Assert.Equal((Events, 0), await CountAsync((batch, cancellation) => Even.WriteAsync(batch, "seen", [.. batch.Select(each => (int)each.Payload)], cancellation)));
        Assert.Equal((Events, 0), await CountAsync((batch, cancellation) =>
        {
            // The handler also writes directly.
            _ = batch.Transaction;
            return Task.CompletedTask;
        }));

        async Task<(long, long)> CountAsync(Func<ProjectionBatch, CancellationToken, Task> handle)
        {
            var (status, _) = await RunAsync(database, handle);
            return (status.Events, status.UnhandledEvents);
        }

        static IReadOnlyCollection<int> Fold(ProjectionBatch batch) =>
            batch.Fold((int number) => number, (all, each) => _ = (int)each.Payload % 2 == 0 ? all[(int)each.Payload] : 0);
    }

    private async Task<(ProjectionStatus Status, HealthCheckResult Health)> RunAsync(string database, Func<ProjectionBatch, CancellationToken, Task> handle)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        await readModel.ExecuteAsync("CREATE TABLE seen (number int UNIQUE)");
        if (!File.Exists(_files.JournalPath))
            await _files.AppendNumbersAsync(Events);
        await using var journal = _files.OpenJournal();
        await using var projection = new Projection(journal, readModel.ReadModel, new Handler(handle), new()
        {
            Name = "seen", Lanes = 1, Decoder = new JsonEvents().Add<int>("number").Decode, LoggerFactory = _log, TimeProvider = HurriedClock.Instance,
        });
        projection.Start();
        var control = new ProjectionControl(readModel.ReadModel);
        await Wait.UntilAsync(async () => await control.StatusAsync("seen") is [{ Offset: >= Events }], () => "all events");
        await Wait.UntilAsync(() => projection.Health.Handled.Events == Events, () => "the health");
        return ((await control.StatusAsync("seen"))[0], new ProjectionHealthReport("seen", HealthStatus.Unhealthy, new()).Of(projection.Health));
    }

    private sealed class Handler(Func<ProjectionBatch, CancellationToken, Task> handle) : BatchHandler
    {
        public override Task HandleAsync(ProjectionBatch batch, CancellationToken cancellationToken) => handle(batch, cancellationToken);
    }
}
