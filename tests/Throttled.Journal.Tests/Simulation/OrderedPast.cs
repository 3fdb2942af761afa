using Throttled.Journal;
using Throttled.Journal.Rows;
using Throttled.Testing.Scripted;

namespace Throttled.Simulation;

/// <summary>What runs of the same query were given, each of which began where the one before had got.</summary>
/// <param name="filter">What they read.</param>
/// <param name="origin">Where the first of them began.</param>
internal sealed class OrderedPast(EventFilter filter, long origin)
{
    internal EventFilter Filter => filter;

    internal long Origin => origin;

    internal List<JournalEvent> Events { get; } = [];

    private readonly HashSet<(long Ordering, string PersistenceId, long SequenceNumber)> _got = [];

    internal void Add(JournalEvent row)
    {
        Events.Add(row);
        _got.Add((row.Ordering, row.PersistenceId, row.SequenceNumber));
    }

    internal bool Has(ScriptedRow row) => _got.Contains((row.Ordering, row.PersistenceId, row.SequenceNumber));

    /// <summary>How far a run said that it had looked.</summary>
    internal long Scanned { get; private set; }

    /// <summary>The position that whoever reads it would store.</summary>
    internal long Position => Math.Max(Scanned, Events.Count == 0 ? origin : Events[^1].Ordering);

    internal void Scan(long through) => Scanned = Math.Max(Scanned, through);
}
