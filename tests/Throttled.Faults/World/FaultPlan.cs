using Throttled.Journal;

namespace Throttled.Faults.World;

/// <summary>How many queries there are in a run, and how they read.</summary>
/// <param name="Database">The database's name in the table.</param>
/// <param name="Queries">Live queries of all kinds; at least 100.</param>
internal sealed record FaultPlan(string Database, int Queries)
{
    /// <summary>Who writes all the time.</summary>
    internal int Writers { get; init; } = 2;

    /// <summary>How long each of them waits between its transactions.</summary>
    internal TimeSpan Pause { get; init; } = TimeSpan.FromMilliseconds(20);

    /// <summary>Ids that others write to, and that are queried too.</summary>
    internal IReadOnlyList<string> OtherIds { get; init; } = [];

    /// <summary>Who holds transactions open besides.</summary>
    internal int HeldWriters { get; init; }

    /// <summary>Whether what is read may be behind what was committed, as on a standby.</summary>
    internal bool IsBehind { get; init; }

    /// <summary>So slowly that a fault comes in the middle of catching up: some seconds for all.</summary>
    internal JournalOptions Options { get; init; } = new()
    {
        MaxBufferSize = 100,
        MaxQueriesPerStatement = 20,
        MaxQueriesPerSecond = Math.Max(40, Queries / 60),
        Burst = 1,
    };
}
