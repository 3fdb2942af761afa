namespace Throttled.Simulation;

/// <summary>
/// Two servers behind one address. When the current server goes down, it restarts or the other one takes over, which ran all the
/// time. Some servers lack the newest rows, and do not reuse their orderings.
/// </summary>
internal sealed class SimulatedFailovers
{
    private readonly World _world;
    private readonly Random _chance;
    private readonly Coverage _coverage;
    private readonly int[] _starts = [1, 1];
    private readonly HashSet<string> _answered = [];
    private readonly bool _identifiesToProbes;
    private int _server;

    private SimulatedFailovers(World world, Random chance, Coverage coverage)
    {
        (_world, _chance, _coverage) = (world, chance, coverage);
        _identifiesToProbes = chance.Next(2) == 0;
        Answer();
    }

    internal static SimulatedFailovers? Of(SimulationPlan plan, World world, Random chance, Coverage coverage) =>
        plan.HasFailovers ? new(world, chance, coverage) : null;

    private string Run => $"{_server}/{_starts[_server]}";

    /// <summary>The server went down. Another server, or a new run of the same server, answers from now on.</summary>
    /// <returns>The highest ordering that is left if the newest rows are lost; null if none is lost.</returns>
    internal long? Next()
    {
        // Until a loss is noticed, a server with more rows would contradict it.
        var moves = !_world.Journal.IsRewindUnnoticed && _chance.Next(3) > 0;
        var kept = _world.Journal.IsRewindUnnoticed || _chance.Next(2) == 0 ? null : DrawKept();
        // The old server keeps running, as a standby or not, or restarts.
        if (!moves || _chance.Next(2) == 0)
            _starts[_server]++;
        if (moves)
            _server = 1 - _server;
        _world.Journal.IsStandby = moves && kept is null && _chance.Next(3) == 0;
        _coverage.AddIf(moves, "another server takes the place of one");
        _coverage.AddIf(kept is not null && _answered.Contains(Run), "the newest rows are lost where a server takes its place back");
        Answer();
        return kept;
    }

    internal void Promote() => _world.Journal.IsStandby = false;

    private void Answer()
    {
        _answered.Add(Run);
        _world.Database.Server = Run;
        if (_identifiesToProbes)
            _world.Database.Identity = Run;
    }

    // A loss is distinguishable from a deletion if the newest row stood on this run of the server, and is the first of its id or has
    // an older row.
    private long? DrawKept()
    {
        if (_world.Engine.HighWaterMark().Last is not { } last || _world.Engine.StoodOn() != Run || _world.Journal.Row(last.Ordering) is null)
            return null;
        var kept = _chance.NextInt64(last.Ordering);
        var older = _world.Journal.RowsOf(last.PersistenceId).Find(row => row.SequenceNumber < last.SequenceNumber && row.Ordering <= kept);
        return last.SequenceNumber == 1 || older is { IsPoisoned: false } ? kept : null;
    }
}
