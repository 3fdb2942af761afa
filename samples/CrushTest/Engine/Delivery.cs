using System.Diagnostics;
using CrushTest.Databases;
using CrushTest.Settings;

namespace CrushTest.Engine;

/// <summary>Times from an event's commit to its arrival at the reader, in milliseconds.</summary>
/// <param name="AfterIdle">The time of the first event, which waits for the next poll.</param>
/// <param name="P50">The median of the later events, which are written with short pauses.</param>
/// <param name="P99">The 99th percentile of the later events.</param>
internal sealed record DeliveryTimes(double AfterIdle, double P50, double P99);

/// <summary>Appends one event to each of up to a thousand random ids, a few at a time, and measures the delivery.</summary>
internal sealed class Delivery
{
    private const int Ids = 1000;
    private const int AtOnce = 5;
    private const int LeastPauseMs = 10;
    private const int MostPauseMs = 20;
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(30);

    private readonly TimeProvider _clock = TimeProvider.System;
    private readonly long[] _arrivals;
    private readonly int[] _chosen;
    private readonly int _number;
    private readonly CrushPayload _payload;
    private readonly HashSet<int> _appended = [];
    private int _arrived;

    internal Delivery(CrushSettings settings)
    {
        _number = settings.Events + 1;
        _payload = settings.Payload;
        _arrivals = new long[settings.Streams];
        _chosen = [.. Choose(settings.Streams)];
    }

    /// <summary>Records an arrival. Called by the readers.</summary>
    internal void Arrived(int index, long number)
    {
        Volatile.Write(ref _arrivals[index], _clock.GetTimestamp());
        Interlocked.Increment(ref _arrived);
    }

    /// <summary>The last sequence number of an id.</summary>
    internal int Last(int index) => _appended.Contains(index) ? _number : _number - 1;

    internal async Task<DeliveryTimes> RunAsync(CrushJournal journal, string[] ids, CancellationToken cancellation)
    {
        await using var appender = journal.OpenAppender();
        var first = await AppendAsync(appender, ids, _chosen[..1], cancellation);
        await WaitAsync(1, cancellation);
        var afterIdle = Wait(_chosen[0], first);
        List<(int Index, long Committed)> steady = [];
        foreach (var some in _chosen.Skip(1).Chunk(AtOnce))
        {
            var committed = await AppendAsync(appender, ids, some, cancellation);
            steady.AddRange(some.Select(index => (index, committed)));
            await PauseAsync();
        }
        await WaitAsync(_chosen.Length, cancellation);
        double[] waits = [.. steady.Select(one => Wait(one.Index, one.Committed)).DefaultIfEmpty(afterIdle).Order()];
        return new(afterIdle, Percentile(waits, 0.5), Percentile(waits, 0.99));
    }

    // On a thread of its own: .NET's timers fire when the kernel's clock ticks, every 4 ms on many machines. Polls wait by such timers, so events that were
    // written in step with them would not wait for a poll.
    private static Task PauseAsync() => Task.Factory.StartNew(
        () => Thread.Sleep(Random.Shared.Next(LeastPauseMs, MostPauseMs + 1)), CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);

    private static IEnumerable<int> Choose(int streams)
    {
        var chosen = new HashSet<int>();
        while (chosen.Count < Math.Min(Ids, streams))
            chosen.Add(Random.Shared.Next(streams));
        return chosen;
    }

    private async Task<long> AppendAsync(JournalAppender appender, string[] ids, int[] some, CancellationToken cancellation)
    {
        _appended.UnionWith(some);
        await appender.AppendAsync([.. some.Select(index => CrushEvents.Event(_payload, ids[index], _number))], cancellation);
        return _clock.GetTimestamp();
    }

    private async Task WaitAsync(int count, CancellationToken cancellation)
    {
        for (var waited = Stopwatch.StartNew(); Volatile.Read(ref _arrived) < count && waited.Elapsed < Patience;)
            await Task.Delay(5, cancellation);
    }

    // An event can arrive before its append call has returned. An event that never arrived is counted as missing elsewhere.
    private double Wait(int index, long committed)
    {
        var arrived = Volatile.Read(ref _arrivals[index]);
        return arrived == 0 ? Patience.TotalMilliseconds : Math.Max(0, _clock.GetElapsedTime(committed, arrived).TotalMilliseconds);
    }

    private static double Percentile(double[] ordered, double share) => ordered[(int)Math.Ceiling(share * ordered.Length) - 1];
}
