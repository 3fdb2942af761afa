using Throttled.Journal.PostgreSql.Tests.Contract;

namespace Throttled.Journal.PostgreSql.Tests.Order;

/// <summary>
/// No event is lost, doubled, early or out of order, while writers do anything, readers are killed and resume from their positions,
/// and the server restarts. Everything except the time is drawn from a seed that is printed.
/// </summary>
[Collection(Contract.AloneCollection.Name)]
public sealed class OrderTests(ITestOutputHelper output)
{
    private static readonly TimeSpan Timeout = TimeSpan.FromMinutes(5);

    [PostgreSqlFact]
    public Task Every_query_delivers_committed_events_once_and_in_order() =>
        RunAsync(TagMode.TagTable, new(120, TimeSpan.FromSeconds(0.1), Kills: 4, Restarts: 1));

    [PostgreSqlTheory]
    [InlineData(TagMode.TagTable)]
    [InlineData(TagMode.Csv)]
    [Trait("Category", "Long")]
    public Task Every_query_delivers_committed_events_once_and_in_order_for_very_long(TagMode tags) =>
        RunAsync(tags, new(500, TimeSpan.FromMilliseconds(LongShare.Of(15_000)), Kills: 20, Restarts: 4));

    private async Task RunAsync(TagMode tags, OrderPlan plan)
    {
        var seed = Environment.GetEnvironmentVariable("THROTTLED_SEED") is { } given ? int.Parse(given) : Random.Shared.Next();
        output.WriteLine($"Seed {seed}");
        var random = new Random(seed);
        using var server = PostgreSqlServer.Start(300, settings: new Dictionary<string, string> { ["max_prepared_transactions"] = "60" });
        await using var journal = await Contract.PostgreSqlHost.CreateAsync(server, Layouts.Named("default", tags));
        var world = new OrderWorld(journal, new(), new(server, new(random.Next())), plan);
        var writers = Enumerable.Range(0, OrderPlan.Writers).Select(i => new OrderWriter(world, random.Next(), i)).ToList();
        var keepers = Enumerable.Range(0, OrderPlan.Keepers).Select(i => new OrderKeeper(world, random.Next(), i)).ToList();
        var readings = new OrderReadings(writers.Select(writer => writer.Ids.First()));
        using var stop = new CancellationTokenSource();
        var writing = Task.WhenAll(
            [.. writers.Select(writer => writer.RunAsync(stop.Token)), .. keepers.Select(keeper => keeper.RunAsync(stop.Token))]);

        await KillReadersAsync(world, readings, writing, random);
        await EndAsync(world, writers, readings, () => StopAsync(stop, writing));
        output.WriteLine($"{world.Ledger}; {plan.Kills} readers killed.");
    }

    private async Task KillReadersAsync(OrderWorld world, OrderReadings readings, Task writing, Random random)
    {
        var (plan, restarts) = (world.Plan, 0);
        for (var kill = 1; kill <= plan.Kills; kill++)
        {
            var reader = world.Journal.OpenReader(Options(plan, random));
            var killed = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            var reading = random.Next(2) == 0 ? readings.RunAsync(reader, killed.Task) : readings.RunSomeAsync(reader, killed.Task, random);
            await UntilMoreAsync(world.Ledger, plan.LifeOf(kill, random), reading, writing);
            if ((restarts + 0.5) * plan.Kills < plan.Restarts * kill)
            {
                restarts++;
                await world.Restarts.RestartAsync();
                await UntilMoreAsync(world.Ledger, plan.LongLife / 10, reading, writing);
            }
            killed.SetResult();
            // Some readers are disposed, and some are abandoned.
            if (random.Next(2) == 0)
                await reader.DisposeAsync();
            await reading.WithinAsync("the end of queries whose reader was killed");
        }
    }

    private static async Task UntilMoreAsync(OrderLedger ledger, int transactions, Task reading, Task writing)
    {
        var target = ledger.Transactions + transactions;
        await Wait.UntilAsync(
            () => ledger.Transactions >= target || reading.IsFaulted || writing.IsFaulted, () => $"{target} transactions; {ledger}", Timeout);
        if (reading.IsFaulted || writing.IsFaulted)
            await (reading.IsFaulted ? reading : writing);
    }

    private static async Task StopAsync(CancellationTokenSource stop, Task writing)
    {
        await stop.CancelAsync();
        await writing.WithinAsync("the writers' end", Timeout);
    }

    private static async Task EndAsync(OrderWorld world, List<OrderWriter> writers, OrderReadings readings, Func<Task> stop)
    {
        var reader = world.Journal.OpenReader();
        var killed = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var reading = readings.RunAsync(reader, killed.Task);
        await stop();
        await CheckAsync(world, readings, reading);
        // The last event of each id. A doubled event would have come before it.
        await Task.WhenAll(writers.Select(writer => writer.EndAsync()));
        await CheckAsync(world, readings, reading);
        killed.SetResult();
        await reading.WithinAsync("the end of all queries");
    }

    private static async Task CheckAsync(OrderWorld world, OrderReadings readings, Task reading)
    {
        var checking = readings.CheckAsync(world.Ledger);
        await Task.WhenAny(checking, reading);
        if (reading.IsFaulted)
            await reading;
        await checking;
    }

    private static JournalOptions Options(OrderPlan plan, Random random) => new()
    {
        MaxBufferSize = random.Next(1, 40),
        MaxConcurrentQueries = random.Next(1, 7),
        MaxRowsPerStatement = random.Next(10, 500),
        MaxBufferedBytes = random.Next(3) == 0 ? 20_000 : 10_000_000,
        TailMaxLag = random.Next(3) == 0 ? 20 : 50_000,
        RefreshInterval = plan.Interval(random),
        MinPollInterval = TimeSpan.FromMilliseconds(random.Next(0, 2)),
    };
}
