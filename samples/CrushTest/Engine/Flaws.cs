namespace CrushTest.Engine;

/// <summary>Counts events that are missing, doubled or out of order, and queries that failed. Thread-safe.</summary>
internal sealed class Flaws
{
    private readonly Lock _lock = new();
    private readonly HashSet<(int Id, long Number)> _skipped = [];

    internal long Missing { get; private set; }

    internal long Doubled { get; private set; }

    internal long OutOfOrder { get; private set; }

    internal long FailedQueries { get; private set; }

    /// <summary>Why the first query failed; null if none did.</summary>
    internal string? FirstFailure { get; private set; }

    internal bool AreNone => Missing + Doubled + OutOfOrder + FailedQueries == 0;

    /// <summary>Counts an event that was not the expected one.</summary>
    internal void Add(int id, long expected, long came)
    {
        lock (_lock)
        {
            for (var number = expected; number < came; number++)
                _skipped.Add((id, number));
            // An event that was skipped before is out of order; any other is doubled.
            if (came < expected && _skipped.Remove((id, came)))
                OutOfOrder++;
            else if (came <= expected)
                Doubled++;
        }
    }

    internal void Failed(Exception error)
    {
        lock (_lock)
        {
            FailedQueries++;
            FirstFailure ??= error.Message;
        }
    }

    /// <summary>At the end, counts the events of an id that did not arrive.</summary>
    internal void Expect(int id, long next, long last)
    {
        lock (_lock)
        {
            Missing += Math.Max(0, last + 1 - next);
            for (var number = 1L; _skipped.Count > 0 && number < next; number++)
                Missing += _skipped.Contains((id, number)) ? 1 : 0;
        }
    }

    internal void Add(Flaws other)
    {
        Missing += other.Missing;
        Doubled += other.Doubled;
        OutOfOrder += other.OutOfOrder;
        FailedQueries += other.FailedQueries;
        FirstFailure ??= other.FirstFailure;
    }
}
