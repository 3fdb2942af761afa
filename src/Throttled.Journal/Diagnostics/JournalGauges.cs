namespace Throttled.Journal.Diagnostics;

/// <summary>The current values of the gauges. The loop sets them; any thread may read them, because each value is read and written atomically.</summary>
/// <param name="clock">The clock of the loop.</param>
/// <param name="bufferedBytes">Returns the bytes of all rows in memory. Called on any thread.</param>
internal sealed class JournalGauges(JournalClock clock, Func<long> bufferedBytes)
{
    private const long NotKnown = -1;

    private long _highWaterMark = NotKnown;
    private long _confirmedAt = NotKnown;
    private long _stalledSince = NotKnown;
    private long _waitsSince = NotKnown;
    private long _rewoundAt = NotKnown;
    private long _rewoundFrom = NotKnown;

    internal int PermitsUsed { get; set; }

    /// <summary>The limit of permits, as <see cref="JournalHealth.Permits"/>.</summary>
    internal int PermitLimit { get; set; }

    internal int Waiting { get; private set; }

    internal int Following { get; set; }

    internal int Lagging { get; set; }

    internal int BrokenSessions { get; set; }

    internal BreakerState Breaker { get; set; }

    internal int Gaps { get; private set; }

    /// <summary>Null while it is not known: no query follows, or transactions that were open at the first poll are still open.</summary>
    internal long? HighWaterMark => Known(ref _highWaterMark);

    /// <summary>Time since a poll found the high-water mark at the journal end; null while it is not known.</summary>
    internal TimeSpan? HighWaterMarkAge => Since(ref _confirmedAt);

    /// <summary>How long the high-water mark has been stalled; 0 if it is not.</summary>
    internal TimeSpan StalledFor => Since(ref _stalledSince) ?? TimeSpan.Zero;

    /// <summary>The longest time that a waiting request has waited so far; 0 if none waits.</summary>
    internal TimeSpan LongestWait => Since(ref _waitsSince) ?? TimeSpan.Zero;

    /// <summary>Time since the journal last went back; null if it did not.</summary>
    internal TimeSpan? RewoundAgo => Since(ref _rewoundAt);

    /// <summary>The highest ordering that was read before the journal last went back; null if it did not.</summary>
    internal long? RewoundFrom => Known(ref _rewoundFrom);

    internal long BufferedBytes => bufferedBytes();

    internal void SetWaiting(int count, TimeSpan? since)
    {
        Waiting = count;
        Set(ref _waitsSince, since);
    }

    /// <param name="mark">The high-water mark; null while it is not known.</param>
    /// <param name="gaps">The number of open gaps.</param>
    /// <param name="confirmedAt">When a poll last found the mark at the journal end.</param>
    /// <param name="stalledSince">When the mark stalled; null if it is not stalled.</param>
    internal void SetHighWaterMark(long? mark, int gaps, TimeSpan? confirmedAt, TimeSpan? stalledSince)
    {
        Volatile.Write(ref _highWaterMark, mark ?? NotKnown);
        Set(ref _confirmedAt, confirmedAt);
        Set(ref _stalledSince, stalledSince);
        Gaps = gaps;
    }

    internal void SetRewound(long from)
    {
        Volatile.Write(ref _rewoundFrom, from);
        Set(ref _rewoundAt, clock.Now);
    }

    private static void Set(ref long field, TimeSpan? at) => Volatile.Write(ref field, at?.Ticks ?? NotKnown);

    private static long? Known(ref long field) => Volatile.Read(ref field) is var value and not NotKnown ? value : null;

    private TimeSpan? Since(ref long field) => Known(ref field) is { } at ? clock.Now - TimeSpan.FromTicks(at) : null;
}

/// <summary>The clock of a journal's loop. It does not refer to the loop, so it does not keep the loop alive. Thread-safe.</summary>
internal sealed class JournalClock(TimeProvider time)
{
    private readonly long _start = time.GetTimestamp();

    internal TimeSpan Now => time.GetElapsedTime(_start);
}

/// <summary>The state of a circuit breaker, as metrics report it.</summary>
internal enum BreakerState
{
    /// <summary>The journal was not probed yet.</summary>
    Unknown,

    /// <summary>The journal can be read.</summary>
    Closed,

    /// <summary>The journal cannot be read.</summary>
    Open,

    /// <summary>The journal cannot be read, and a probe runs.</summary>
    HalfOpen,
}
