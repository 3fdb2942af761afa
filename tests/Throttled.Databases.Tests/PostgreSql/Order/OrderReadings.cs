namespace Throttled.Journal.PostgreSql.Tests.Order;

/// <summary>Queries of every kind, live ones and repeated current ones, from one reader after the other.</summary>
internal sealed class OrderReadings
{
    private readonly List<OrderReading> _live = [];
    private readonly List<OrderReading> _current = [];

    internal OrderReadings(IEnumerable<string> ids)
    {
        _live.Add(new("all", (reader, after) => reader.AllEvents(after), _ => true, OrderingOf));
        _current.Add(new("all, current", (reader, after) => reader.CurrentAllEvents(after), _ => true, OrderingOf));
        foreach (var tag in (string[])["blue", "green", "blue"])
        {
            _live.Add(new(tag, (reader, after) => reader.EventsByTag(tag, after), Has(tag), OrderingOf));
            _current.Add(new($"{tag}, current", (reader, after) => reader.CurrentEventsByTag(tag, after), Has(tag), OrderingOf));
        }
        foreach (var (min, max) in ((int, int)[])[(0, 340), (341, 682), (683, 1023)])
        {
            _live.Add(new($"slices from {min}", (reader, after) => reader.EventsBySlices(min, max, after), In(min, max), OrderingOf));
            _current.Add(new(
                $"slices from {min}, current", (reader, after) => reader.CurrentEventsBySlices(min, max, after), In(min, max), OrderingOf));
        }
        foreach (var id in ids)
        {
            _live.Add(new(
                id, (reader, after) => reader.EventsByPersistenceId(id, after + 1), each => each.PersistenceId == id, each => each.SequenceNumber));
        }
    }

    /// <summary>Reads all of them until the reader is killed.</summary>
    /// <returns>Completes when no query reads from this reader any more.</returns>
    internal Task RunAsync(JournalReader reader, Task killed) => RunAsync(reader, killed, _ => true);

    /// <summary>Reads some of the queries, because the tail reads differently for different queries.</summary>
    internal Task RunSomeAsync(JournalReader reader, Task killed, Random random)
    {
        var share = random.NextDouble();
        return RunAsync(reader, killed, _ => random.NextDouble() < share);
    }

    internal async Task CheckAsync(OrderLedger ledger)
    {
        foreach (var reading in _live.Concat(_current))
            await reading.CheckAsync(ledger);
    }

    private Task RunAsync(JournalReader reader, Task killed, Predicate<OrderReading> isIn) => Task.WhenAll(
    [
        .. _live.FindAll(isIn).Select(reading => Task.Run(() => reading.ReadAsync(reader, killed))),
        .. _current.FindAll(isIn).Select(reading => Task.Run(() => ReadAgainAndAgainAsync(reading, reader, killed))),
    ]);

    private async Task ReadAgainAndAgainAsync(OrderReading reading, JournalReader reader, Task killed)
    {
        while (!killed.IsCompleted)
        {
            await reading.ReadAsync(reader, killed);
            await Task.WhenAny(killed, Task.Delay(TimeSpan.FromMilliseconds(Random.Shared.Next(60)), TimeProvider.System));
        }
    }

    private static long OrderingOf(JournalEvent each) => each.Ordering;

    private static Func<JournalEvent, bool> Has(string tag) => each => each.Tags.Contains(tag);

    private static Func<JournalEvent, bool> In(int min, int max) =>
        each => JournalSlices.Of(each.PersistenceId) is var slice && slice >= min && slice <= max;
}
