using Throttled.Projections.Diagnostics;

namespace Throttled.Projections.Running;

/// <summary>Where the journal ends, as it was seen last. Nothing waits for a poll: the journal may be unavailable while the read model is not.</summary>
internal sealed class JournalEndWatch(Func<CancellationToken, Task<long>> end, Outage outage, TimeProvider clock)
{
    // One or two failed polls are not reported: readers wait for the journal anyway.
    private const int Many = 3;

    private static readonly TimeSpan Interval = TimeSpan.FromSeconds(1);

    private Task _check = Task.CompletedTask;
    private long _begun;
    private bool _hasBegun;
    private long _seen;
    private long _looks;
    private int _failures;

    /// <summary>0 where it was not seen yet.</summary>
    internal long Seen => Volatile.Read(ref _seen);

    /// <summary>How many polls found it.</summary>
    internal long Looks => Interlocked.Read(ref _looks);

    /// <summary>This process does not poll any more.</summary>
    internal void Leave() => outage.Left(this);

    /// <summary>Begins a poll if the last one has ended and is a second old.</summary>
    internal void Look(CancellationToken cancellation)
    {
        if (!_check.IsCompleted || (_hasBegun && clock.GetElapsedTime(_begun) < Interval))
            return;
        (_begun, _hasBegun) = (clock.GetTimestamp(), true);
        _check = LookAsync(cancellation);
    }

    private async Task LookAsync(CancellationToken cancellation)
    {
        try
        {
            Volatile.Write(ref _seen, await end(cancellation).ConfigureAwait(false));
            Interlocked.Increment(ref _looks);
            _failures = 0;
            outage.Has(this);
        }
        catch (Exception) when (cancellation.IsCancellationRequested)
        {
            outage.Left(this);
        }
        catch (Exception error)
        {
            // What was seen last is good enough here.
            if (++_failures >= Many)
                outage.Misses(this, error);
        }
    }
}
