namespace Throttled.Benchmarks.Replay;

/// <summary>Replays a journal from its first event to its last, and checks each replay.</summary>
internal sealed class Replays(JournalReader reader, long events)
{
    private long _delivered;

    /// <summary>Events delivered so far, over all replays.</summary>
    internal long Delivered => Volatile.Read(ref _delivered);

    internal async Task OnceAsync(CancellationToken cancellation = default)
    {
        var (before, last) = (_delivered, 0L);
        await foreach (var each in reader.CurrentAllEvents().WithCancellation(cancellation))
        {
            if (each.Ordering <= last)
                throw new InvalidOperationException($"{each} came after ordering {last}.");
            last = each.Ordering;
            Volatile.Write(ref _delivered, _delivered + 1);
        }
        if (_delivered - before != events)
            throw new InvalidOperationException($"The replay delivered {_delivered - before:N0} events; there are {events:N0}.");
    }

    /// <summary>Runs one replay after another, until it is cancelled.</summary>
    internal async Task ForeverAsync(CancellationToken cancellation)
    {
        try
        {
            while (true)
                await OnceAsync(cancellation);
        }
        catch (OperationCanceledException) when (cancellation.IsCancellationRequested)
        {
        }
    }
}
