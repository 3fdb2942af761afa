using Throttled.Journal.Rows;

namespace Throttled.Simulation;

/// <summary>The events of several runs of one query. Each run began at the position where the run before ended.</summary>
/// <param name="filter">The filter of the query.</param>
/// <param name="origin">The position at which the first run began.</param>
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

    /// <summary>The highest ordering that a run reported as read.</summary>
    internal long Scanned { get; private set; }

    /// <summary>The position that a consumer would store.</summary>
    internal long Position => Math.Max(Scanned, Events.Count == 0 ? origin : Events[^1].Ordering);

    internal void Scan(long through) => Scanned = Math.Max(Scanned, through);
}
