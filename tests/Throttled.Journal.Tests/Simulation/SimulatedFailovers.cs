using Throttled.Testing.Scripted;

namespace Throttled.Simulation;

/// <summary>
/// Two servers behind one address, one at a time: the server that goes away is started anew, or the other takes its place, which ran all the time. Some do not have
/// the newest rows, and give no number out again.
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

    /// <summary>The server went away, and another one, or a new start of it, answers from now on.</summary>
    /// <returns>The highest ordering that it has, where the newest rows are lost; null where none is.</returns>
    internal long? Next()
    {
        // Before anybody has noticed a loss, a server that has more would be another lie.
        var moves = !_world.Journal.IsRewindUnnoticed && _chance.Next(3) > 0;
        var kept = _world.Journal.IsRewindUnnoticed || _chance.Next(2) == 0 ? null : DrawKept();
        // A server that was left goes on, as a standby or not, or is started anew.
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

    /// <summary>A standby is promoted in place.</summary>
    internal void Promote() => _world.Journal.IsStandby = false;

    private void Answer()
    {
        _answered.Add(Run);
        _world.Database.Server = Run;
        if (_identifiesToProbes)
            _world.Database.Identity = Run;
    }

    // What tells a loss from a deletion: the newest row that was seen stood on this run of the server, and is the first of its id or an older one stands.
    private long? DrawKept()
    {
        if (_world.Engine.HighWaterMark().Last is not { } last || _world.Engine.StoodOn() != Run || _world.Journal.Row(last.Ordering) is null)
            return null;
        var kept = _chance.NextInt64(last.Ordering);
        var older = _world.Journal.RowsOf(last.PersistenceId).Find(row => row.SequenceNumber < last.SequenceNumber && row.Ordering <= kept);
        return last.SequenceNumber == 1 || older is { IsPoisoned: false } ? kept : null;
    }
}
