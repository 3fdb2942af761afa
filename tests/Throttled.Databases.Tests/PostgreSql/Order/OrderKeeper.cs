using System.Diagnostics;

namespace Throttled.Journal.PostgreSql.Tests.Order;

/// <summary>
/// Changes and deletes rows in transactions that stay open for a while. They lock the journal and its rows, but draw no ordering and
/// delay no query. Only events that it wrote for that purpose are deleted.
/// </summary>
internal sealed class OrderKeeper(OrderWorld world, int seed, int number)
{
    private readonly Random _random = new(seed);
    private readonly string _id = $"{OrderLedger.Gone}{number}";
    private int _attempts;

    internal async Task RunAsync(CancellationToken stop)
    {
        while (!stop.IsCancellationRequested)
        {
            try
            {
                await WriteAsync();
                await ChangeAsync();
            }
            catch (Exception error) when (OrderWriter.IsOfRestart(error))
            {
                await HoldAsync();
            }
        }
    }

    private async Task WriteAsync()
    {
        var events = TestEvents.Of($"{_id}-{++_attempts}", 1, _random.Next(2, 5)).Select(each => each.With("blue", "green")).ToList();
        await using var transaction = await world.Journal.BeginAsync();
        var orderings = await transaction.InsertAsync(events);
        // Noted before the commit. It does not matter whether the commit succeeds, because the event may be deleted anyway.
        world.Ledger.Committed(events.Select((each, i) => each.At(orderings[i])), Stopwatch.GetTimestamp());
        await transaction.CommitAsync();
    }

    private async Task ChangeAsync()
    {
        await using var transaction = await world.Journal.BeginAsync();
        await transaction.RunAsync(_random.Next(3) switch
        {
            0 => $"DELETE FROM journal WHERE persistence_id LIKE '{_id}-%'",
            1 => $"UPDATE journal SET deleted = TRUE WHERE persistence_id LIKE '{_id}-%'",
            _ => "UPDATE journal SET manifest = manifest WHERE ordering IN "
                + "(SELECT ordering FROM journal ORDER BY ordering DESC LIMIT 20 FOR UPDATE SKIP LOCKED)",
        });
        await HoldAsync();
        if (_random.Next(5) > 0)
            await transaction.CommitAsync();
    }

    private Task HoldAsync() => Task.Delay(_random.NextDouble() * world.Plan.LongestHold, TimeProvider.System);
}
