namespace Throttled.Simulation;

/// <summary>A primary, a standby that replays later, and an address that leads to one of them.</summary>
internal sealed class SimulatedServers
{
    private readonly World _world;
    private readonly Random _chance;
    private readonly Coverage _coverage;
    private readonly ScriptedServers _servers;
    private readonly int _interval;
    private ScriptedServer? _accepted;
    private bool _isStalled;

    private SimulatedServers(World world, Random chance, Coverage coverage)
    {
        (_world, _chance, _coverage) = (world, chance, coverage);
        world.Database.Servers = _servers = new(world.Journal, chance);
        _interval = chance.Next(1, 60);
    }

    /// <summary>The lowest ordering that may still appear on the current server; null for none.</summary>
    internal long? LowestPending
    {
        get
        {
            var read = (_servers.Accepted ?? _servers.Primary).Journal;
            return read.LowestOpen() ?? (read.LastDrawn < _world.Journal.LastDrawn ? read.LastDrawn + 1 : null);
        }
    }

    internal static SimulatedServers? Of(SimulationPlan plan, World world, Random chance, Coverage coverage) =>
        plan.HasTwoServers ? new(world, chance, coverage) : null;

    /// <summary>Whether the standby also has the row.</summary>
    internal bool IsOnBoth(ScriptedRow row) => _servers.Standby.Journal.Row(row.Ordering) is not null;

    internal void Step()
    {
        if (_chance.Next(80) == 0)
            _isStalled = !_isStalled;
        if (!_isStalled && _chance.Next(_interval) == 0)
            _servers.Replay.Step(_chance.Next(1, 4));
        if (_chance.Next(40) == 0)
        {
            _servers.LeadsTo = _servers.LeadsTo is null ? _servers.Standby : null;
            _coverage.Add("connections lead to another server");
        }
        Observe();
    }

    /// <summary>The server went down and restarted.</summary>
    internal void Restart() => _servers.Primary.Restart();

    /// <summary>Whether the standby has replayed everything.</summary>
    internal bool IsLevel => _servers.Replay.Count == 0;

    /// <summary>Only the standby's replay goes on. The address does not change.</summary>
    internal void CatchUp()
    {
        if (_chance.Next(8) == 0)
            _servers.Replay.Step(1);
    }

    private void Observe()
    {
        _coverage.AddIf(_servers.Refused > 0, "a call on another server is refused");
        _coverage.AddIf(_world.Engine.HighWaterMark().IsBehind, "what was seen is not there yet");
        if (_servers.Accepted == _accepted)
            return;
        _accepted = _servers.Accepted;
        _coverage.AddIf(_accepted == _servers.Standby && _servers.Replay.Count > 0 && _world.Engine.HasFollowers(), "calls move to a server that is behind");
        _coverage.AddIf(_accepted == _servers.Primary, "calls move to the primary");
    }
}
