using System.Data.Common;

namespace Throttled.Faults.Sharding;

/// <summary>
/// Writes events of its own persistence ids to all shards at once, and keeps the ledger of each shard. After a refused write, the ids of that shard
/// wait until all others are written. The writer then checks whether their events were committed, and appends them again if not.
/// </summary>
internal sealed class ShardedWriter : IAsyncDisposable
{
    private const int EventsAtOnce = 100;

    private static readonly TimeSpan Pause = TimeSpan.FromMilliseconds(20);

    private readonly ShardFleet _fleet;
    private readonly ShardMap _map;
    private readonly IReadOnlyList<Ledger> _ledgers;
    private readonly JournalAppender _appender;
    private readonly string[] _ids;
    private readonly int[] _written;
    private readonly Dictionary<int, IReadOnlyList<JournalEvent>> _refused = [];
    private int _next;
    private volatile int _eventsEach;

    internal ShardedWriter(ShardFleet fleet, IReadOnlyList<Ledger> ledgers, string[] ids)
    {
        (_fleet, _map, _ledgers, _ids, _written) = (fleet, fleet.Map, ledgers, ids, new int[ids.Length]);
        _appender = fleet.OpenAppender();
    }

    /// <summary>The number of events of each id. It only grows.</summary>
    internal int EventsEach
    {
        get => _eventsEach;
        set => _eventsEach = value;
    }

    /// <summary>The number of refused writes.</summary>
    internal int Refusals { get; private set; }

    /// <summary>The number of refused writes that had been committed.</summary>
    internal int Ambiguous { get; private set; }

    /// <summary>Writes until it is stopped.</summary>
    internal async Task RunAsync(CancellationToken stop)
    {
        await Task.Yield();
        while (!stop.IsCancellationRequested)
        {
            if (Next() is { Count: > 0 } events)
                await AppendAsync(events);
            else if (!await SettleAsync())
                await Task.Delay(Pause, TimeProvider.System, CancellationToken.None);
        }
    }

    public ValueTask DisposeAsync() => _appender.DisposeAsync();

    private List<JournalEvent> Next()
    {
        List<JournalEvent> events = [];
        for (var checkedIds = 0; checkedIds < _ids.Length && events.Count < EventsAtOnce; checkedIds++, _next = (_next + 1) % _ids.Length)
        {
            if (_written[_next] < EventsEach && !_refused.ContainsKey(_map.ShardOf(_ids[_next])))
                events.Add(LedgerWriter.Event(_ids[_next], _next, ++_written[_next]));
        }
        return events;
    }

    private async Task AppendAsync(IReadOnlyList<JournalEvent> events)
    {
        IReadOnlyList<JournalEvent> refused = [];
        try
        {
            await _appender.AppendAsync(events);
        }
        catch (ShardedAppendException some)
        {
            Assert.True(IsOfDatabase(some.InnerException), $"{some}");
            refused = some.NotAppended;
        }
        catch (Exception error) when (IsOfDatabase(error))
        {
            refused = events;
        }
        Committed(events.Except(refused));
        foreach (var shard in refused.ToLookup(each => _map.ShardOf(each.PersistenceId)))
        {
            _refused[shard.Key] = [.. shard];
            Refusals++;
        }
    }

    /// <returns>Whether any shard accepted a write that it had refused.</returns>
    private async Task<bool> SettleAsync()
    {
        var hasSettled = false;
        foreach (var (shard, events) in _refused.ToList())
        {
            if (await IsThereAsync(shard, events[0]) is not { } isThere)
                continue;
            _refused.Remove(shard);
            hasSettled = true;
            if (!isThere)
            {
                await AppendAsync(events);
                continue;
            }
            Ambiguous++;
            Committed(events);
        }
        return hasSettled;
    }

    // The first event is there with its whole transaction; null if the shard is unavailable.
    private async Task<bool?> IsThereAsync(int shard, JournalEvent first)
    {
        try
        {
            await using var connection = await _fleet.Journals[shard].ConnectAsync();
            return await connection.ScalarAsync<long>(
                $"SELECT count(*) FROM journal WHERE persistence_id = '{first.PersistenceId}' AND sequence_number = {first.SequenceNumber}") > 0;
        }
        catch (Exception error) when (IsOfDatabase(error))
        {
            return null;
        }
    }

    private void Committed(IEnumerable<JournalEvent> events)
    {
        foreach (var shard in events.ToLookup(each => _map.ShardOf(each.PersistenceId)))
            _ledgers[shard.Key].Committed(shard);
    }

    private static bool IsOfDatabase(Exception? error) => error is DbException or IOException;
}
