using System.Diagnostics;
using Throttled.Faults.World;

namespace Throttled.Faults.Sharding;

/// <summary>
/// Queries of all kinds over a sharded journal. Events are appended to all shards, and one shard is unavailable for a while. The events of the
/// others are delivered during the outage. In the end each query must have exactly the committed events, and none may have ended.
/// </summary>
internal sealed class ShardedFaultRun : IAsyncDisposable
{
    private const int Writers = 2;

    private static readonly TimeSpan MaxWait = TimeSpan.FromMinutes(4);

    private readonly CancellationTokenSource _stop = new();
    private readonly Unobserved _unobserved = new();
    private readonly ShardFleet _fleet;
    private readonly ITestOutputHelper _output;
    private readonly string[] _ids;
    private readonly Ledger[] _ledgers;
    private readonly ShardedWriter[] _writers;
    private readonly StatementMeter _meter;
    private readonly JournalReader _reader;
    private readonly FeedCrowd _crowd;
    private Task _writing = Task.CompletedTask;

    /// <param name="fleet">The databases, with tables and marks, without events.</param>
    /// <param name="ids">The number of persistence ids. Each has a live query; there are also other queries.</param>
    /// <param name="output">The output of the test.</param>
    internal ShardedFaultRun(ShardFleet fleet, int ids, ITestOutputHelper output)
    {
        (_fleet, _output, _ids) = (fleet, output, [.. Enumerable.Range(0, ids).Select(Id)]);
        _ledgers = [.. fleet.Journals.Select(_ => new Ledger())];
        _writers = [.. Enumerable.Range(0, Writers).Select(w => new ShardedWriter(fleet, _ledgers, [.. _ids.Where((_, i) => i % Writers == w)]))];
        (_meter, _reader) = StatementMeter.Of(() => fleet.OpenReader(new()));
        _crowd = new(_reader, CrowdQuery.Mixed(_ids), fleet.Map);
    }

    private int Refusals => _writers.Sum(writer => writer.Refusals);

    private int Written => _ledgers.Sum(ledger => ledger.Count);

    /// <param name="fault">The name of the fault.</param>
    /// <param name="unavailable">The shard with the fault.</param>
    /// <param name="events">The number of events of each id.</param>
    internal async Task RunAsync(string fault, int unavailable, int events)
    {
        _writing = Task.WhenAll(_writers.Select(writer => writer.RunAsync(_stop.Token)));
        Write(events / 2);
        await UntilAsync(() => Written > _ids.Length * events / 4, () => $"a quarter of the events; there are {Written}");

        var written = Written;
        await _fleet.TakeDownAsync(unavailable);
        Write(events);
        await UntilAsync(() => Refusals > 0, () => "a refused write");
        await OthersArriveAsync(unavailable, events);
        var (whole, atLeast) = (CountAsync(_reader.CurrentAllEvents()), Written);
        var other = _ids.First(id => _fleet.Map.ShardOf(id) != unavailable);
        Assert.Equal(events, await CountAsync(_reader.CurrentEventsByPersistenceId(other)).WithinAsync("a current query of an available shard", MaxWait));
        _crowd.Check();
        Assert.False(whole.IsCompleted, "A current query for all events ended without those of the unavailable shard.");
        written = Written - written;

        var before = _crowd.EventsOf(unavailable);
        await _fleet.BringUpAsync(unavailable);
        var watch = Stopwatch.StartNew();
        await UntilAsync(() => _crowd.EventsOf(unavailable) > before, () => "an event of the shard after the outage");
        var next = watch.Elapsed;
        Assert.InRange(await whole.WithinAsync("the current query for all events", MaxWait), atLeast, _ids.Length * events);
        // The last event of each id; an event that is delivered twice would come before it.
        Write(events + 1);
        for (var shard = 0; shard < _ledgers.Length; shard++)
            await ArriveAsync(shard, events + 1);
        FaultTable.Add(
            _output, fault, _fleet.Database, "following", _crowd.Size, written, 0, _crowd.Doubled, _crowd.Failed, FaultTable.Seconds(next), FaultTable.Seconds(watch.Elapsed));
        await EndAsync();
    }

    public async ValueTask DisposeAsync()
    {
        await _stop.CancelAsync();
        await _writing.ContinueWith(_ => { }, TaskScheduler.Default).WithinAsync("the end of the writers");
        await _crowd.DisposeAsync();
        await _reader.DisposeAsync();
        foreach (var writer in _writers)
            await writer.DisposeAsync();
        _meter.Dispose();
        _unobserved.Dispose();
        _stop.Dispose();
    }

    // Ids with consecutive numbers would be in neighbouring slices, and some shards would have none. The multiplier is odd, so all ids differ.
    private static string Id(int number) => FormattableString.Invariant($"id-{(uint)number * 2_654_435_761u:x8}");

    private static async Task<int> CountAsync(IAsyncEnumerable<JournalEvent> query)
    {
        var count = 0;
        await foreach (var each in query)
            count++;
        return count;
    }

    private void Write(int events)
    {
        foreach (var writer in _writers)
            writer.EventsEach = events;
    }

    private async Task OthersArriveAsync(int unavailable, int events)
    {
        for (var shard = 0; shard < _ledgers.Length; shard++)
        {
            if (shard != unavailable)
                await ArriveAsync(shard, events);
        }
    }

    /// <summary>Waits until all events of a shard are written, and each query has got them.</summary>
    private async Task ArriveAsync(int shard, int events)
    {
        var all = events * _ids.Count(id => _fleet.Map.ShardOf(id) == shard);
        await UntilAsync(() => _ledgers[shard].Count == all, () => $"{all} events in shard {shard}; there are {_ledgers[shard].Count}");
        await _crowd.UntilAsync(shard, await _ledgers[shard].FoldsAsync(_fleet.Journals[shard]), MaxWait);
    }

    private async Task UntilAsync(Func<bool> condition, Func<string> what)
    {
        await Wait.UntilAsync(() => condition() || _writing.IsFaulted, what, MaxWait);
        if (_writing.IsFaulted)
            await _writing;
        _crowd.Check();
    }

    private async Task EndAsync()
    {
        await _stop.CancelAsync();
        await _writing.WithinAsync("the end of the writers", MaxWait);
        await Wait.UntilAsync(() => _meter.PermitsUsed == 0, () => $"no permit in use; there are {_meter.PermitsUsed}");
        _output.WriteLine(
            $"{Written} events, {_crowd.Events} deliveries, {Refusals} refusals, of which {_writers.Sum(writer => writer.Ambiguous)} were committed; {_meter}");
        _unobserved.AreNone();
    }
}
