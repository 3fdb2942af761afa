using Throttled.Journal.Faults;

namespace Throttled.Simulation;

/// <summary>During a known outage only one probe at a time runs, with growing pauses, and nothing else.</summary>
internal sealed class OutageChecks(World world)
{
    // Statements that were in the reserved queue already: the check of lost statements, a description, the tags.
    private const int Queued = 4;

    // The shortest pause is half of the first one.
    private static readonly TimeSpan Pause = TimeSpan.FromMilliseconds(50);

    private readonly CircuitBreaker _breaker = world.Engine.Outage();
    private bool _wasUp = true;
    private int _mayBegin;
    private int _probes;
    private TimeSpan? _probed;
    private TimeSpan _since;

    internal void Began(ScriptedCall call)
    {
        if (_wasUp)
            return;
        if (call.Kind == CallKind.Probe)
            Probed();
        else
            Assert.True(_mayBegin-- > 0, $"A statement ({call.Kind}) began during a known outage.");
        Assert.True(_probes <= 14 + ((world.Clock.Now - _since).TotalSeconds / 2.5), "The journal was probed without pauses.");
    }

    internal void Check()
    {
        if (_breaker.IsAvailable == _wasUp)
            return;
        _wasUp = _breaker.IsAvailable;
        _probed = null;
        (_mayBegin, _probes, _since) = (world.Scheduler.Count + Queued, 0, world.Clock.Now);
    }

    private void Probed()
    {
        _probes++;
        Assert.True(_probed is not { } last || world.Clock.Now - last >= Pause, "Two probes came without a pause between them.");
        _probed = world.Clock.Now;
    }
}
