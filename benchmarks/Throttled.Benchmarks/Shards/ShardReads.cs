using CrushTest.Databases;
using Throttled.Journal.PostgreSql;

namespace Throttled.Benchmarks.Shards;

/// <summary>Reads all events of all ids with one query for each id, all at once: current queries, and live queries to their last event.</summary>
internal sealed class ShardReads(ShardDatabases databases, string[] ids)
{
    internal const int EventsOfEach = 100;

    private const int EventsPerTransaction = 20_000;

    internal async Task SeedAsync()
    {
        await using var appender = ShardedJournal.OpenAppender(databases.Connections, PostgreSqlJournal.OpenAppender);
        foreach (var some in CrushEvents.All(CrushPayload.Deposits, ids, EventsOfEach).Chunk(EventsPerTransaction))
            await appender.AppendAsync(some);
        await databases.SettleAsync();
    }

    internal async Task<(ShardRate Current, ShardRate Live, int[] Permits)> RunAsync()
    {
        await using var reader = ShardedJournal.OpenReader(databases.Connections, PostgreSqlJournal.OpenReader);
        // The first run opens connections and prepares statements.
        await ReadAsync(ids, EventsOfEach, id => reader.CurrentEventsByPersistenceId(id));
        var current = await ShardRate.MeasureAsync(databases, () => ReadAsync(ids, EventsOfEach, id => reader.CurrentEventsByPersistenceId(id)));
        var live = await ShardRate.MeasureAsync(databases, () => ReadAsync(ids, EventsOfEach, id => reader.EventsByPersistenceId(id)));
        var health = await Task.WhenAll(reader.Journal.Shards.Select(part => part.CheckHealthAsync(CancellationToken.None)));
        return (current, live, [.. health.Select(each => each.Permits)]);
    }

    /// <summary>Reads this many events of each id, all ids at once.</summary>
    /// <exception cref="InvalidOperationException">An event is missing, doubled or out of order.</exception>
    internal static async Task<long> ReadAsync(string[] ids, int events, Func<string, IAsyncEnumerable<JournalEvent>> open) =>
        (await Task.WhenAll(ids.Select(id => ReadAsync(open(id), events)))).Sum();

    private static async Task<long> ReadAsync(IAsyncEnumerable<JournalEvent> query, int events)
    {
        var count = 0L;
        await foreach (var each in query)
        {
            count++;
            if (each.SequenceNumber != count)
                throw new InvalidOperationException($"{each.PersistenceId}: {each.SequenceNumber} came instead of {count}.");
            // A live query would go on.
            if (count == events)
                break;
        }
        return count;
    }
}
