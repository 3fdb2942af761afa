using System.Diagnostics;

namespace DigitalTwins.Load;

/// <summary>The requests that were answered in some time. Thread-safe.</summary>
internal sealed class LoadWindow
{
    private readonly Stopwatch _watch = Stopwatch.StartNew();
    private long _failed;

    internal LatencyCounts Reads { get; } = new();

    internal LatencyCounts Writes { get; } = new();

    /// <summary>Requests without an answer.</summary>
    internal long Failed => Interlocked.Read(ref _failed);

    /// <summary>How long the window is, since it was opened; until now, or until it was closed.</summary>
    internal TimeSpan Time => _watch.Elapsed;

    internal void Fail() => Interlocked.Increment(ref _failed);

    internal LoadWindow Close()
    {
        _watch.Stop();
        return this;
    }
}
