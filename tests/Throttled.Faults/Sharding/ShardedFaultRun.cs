using System.Diagnostics;
using Throttled.Faults.World;
using Throttled.Journal;
using Throttled.Testing;
using Xunit.Abstractions;

namespace Throttled.Faults.Sharding;

/// <summary>
/// Queries of all kinds over a sharded journal, while events are appended to all its shards and one of them is taken away and brought back. The
/// events of the others come while it is away; in the end each query must have got just what was committed, and none may have ended.
/// </summary>
internal sealed class ShardedFaultRun : IAsyncDisposable
{
    private const int Writers = 2;

    private static readonly TimeSpan Patience = TimeSpan.FromMinutes(4);

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

    /// <param name="fleet">The databases, with tables and marks and without events.</param>
    /// <param name="ids">Persistence ids, each of which has a live query; others come beside them.</param>
    /// <param name="output">Where tests print.</param>
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

    /// <param name="fault">What it is called.</param>
    /// <param name="away">The shard that is taken away.</param>
    /// <param name="events">Events of each id.</param>
    internal async Task RunAsync(string fault, int away, int events)
    {
        _writing = Task.WhenAll(_writers.Select(writer => writer.RunAsync(_stop.Token)));
        Write(events / 2);
        await UntilAsync(() => Written > _ids.Length * events / 4, () => $"a quarter of the events; there are {Written}");

        var written = Written;
        await _fleet.TakeAwayAsync(away);
        Write(events);
        await UntilAsync(() => Refusals > 0, () => "a writer that meets the fault");
        await OthersArriveAsync(away, events);
        var (whole, atLeast) = (CountAsync(_reader.CurrentAllEvents()), Written);
        var other = _ids.First(id => _fleet.Map.ShardOf(id) != away);
        Assert.Equal(events, await CountAsync(_reader.CurrentEventsByPersistenceId(other)).WithinAsync("a current query of a shard that is there", Patience));
        _crowd.Check();
        Assert.False(whole.IsCompleted, "A current query for all events ended without those of the shard that is away.");
        written = Written - written;

        var before = _crowd.EventsOf(away);
        await _fleet.BringBackAsync(away);
        var watch = Stopwatch.StartNew();
        await UntilAsync(() => _crowd.EventsOf(away) > before, () => "an event of the shard that came back");
        var next = watch.Elapsed;
        Assert.InRange(await whole.WithinAsync("the current query for all events", Patience), atLeast, _ids.Length * events);
        // The last event of each id, behind which a doubled one would have come.
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

    // A few ids that count up would be in neighbouring slices, and some shards without any; the multiplier is odd, so that no two are the same.
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
            writer.Target = events;
    }

    private async Task OthersArriveAsync(int away, int events)
    {
        for (var shard = 0; shard < _ledgers.Length; shard++)
        {
            if (shard != away)
                await ArriveAsync(shard, events);
        }
    }

    /// <summary>Waits until all events of a shard are written, and each query has got them.</summary>
    private async Task ArriveAsync(int shard, int events)
    {
        var all = events * _ids.Count(id => _fleet.Map.ShardOf(id) == shard);
        await UntilAsync(() => _ledgers[shard].Count == all, () => $"{all} events in shard {shard}; there are {_ledgers[shard].Count}");
        await _crowd.UntilAsync(shard, await _ledgers[shard].FoldsAsync(_fleet.Journals[shard]), Patience);
    }

    private async Task UntilAsync(Func<bool> condition, Func<string> what)
    {
        await Wait.UntilAsync(() => condition() || _writing.IsFaulted, what, Patience);
        if (_writing.IsFaulted)
            await _writing;
        _crowd.Check();
    }

    private async Task EndAsync()
    {
        await _stop.CancelAsync();
        await _writing.WithinAsync("the end of the writers", Patience);
        await Wait.UntilAsync(() => _meter.PermitsUsed == 0, () => $"no permit in use; there are {_meter.PermitsUsed}");
        _output.WriteLine(
            $"{Written} events, {_crowd.Events} deliveries, {Refusals} refusals, of which {_writers.Sum(writer => writer.Ambiguous)} were committed; {_meter}");
        _unobserved.AreNone();
    }
}
