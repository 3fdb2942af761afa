namespace Throttled.Projections.Lanes;

/// <summary>How fast a lane has been of late: each sample counts for a third, so that it follows within some seconds.</summary>
internal sealed class LaneSpeed(TimeProvider time)
{
    private const double Weight = 1.0 / 3;

    private long _at = time.GetTimestamp();
    private long _handled;
    private double? _speed;

    internal double EventsPerSecond => Math.Round(_speed ?? 0, 1);

    internal void Look(long handled)
    {
        var seconds = time.GetElapsedTime(_at).TotalSeconds;
        if (seconds <= 0)
            return;
        var now = (handled - _handled) / seconds;
        _speed = _speed is { } before ? before + (Weight * (now - before)) : now;
        (_at, _handled) = (time.GetTimestamp(), handled);
    }
}
