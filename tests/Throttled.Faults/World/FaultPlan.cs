namespace Throttled.Faults.World;

/// <summary>The queries and writers of a run.</summary>
/// <param name="Database">The name of the database in the table.</param>
/// <param name="Queries">The number of live queries of all kinds; at least 100.</param>
internal sealed record FaultPlan(string Database, int Queries)
{
    /// <summary>The number of writers.</summary>
    internal int Writers { get; init; } = 2;

    /// <summary>The pause of each writer between its transactions.</summary>
    internal TimeSpan Pause { get; init; } = TimeSpan.FromMilliseconds(20);

    /// <summary>Ids of other writers that are queried too.</summary>
    internal IReadOnlyList<string> OtherIds { get; init; } = [];

    /// <summary>The number of additional writers with overlapping transactions.</summary>
    internal int OverlappingWriters { get; init; }

    /// <summary>Whether reads may be behind the commits, as on a standby.</summary>
    internal bool IsBehind { get; init; }

    /// <summary>A rate at which catching up takes some seconds, so a fault comes during it.</summary>
    internal JournalOptions Options { get; init; } = new()
    {
        MaxBufferSize = 100,
        MaxQueriesPerStatement = 20,
        MaxQueriesPerSecond = Math.Max(40, Queries / 60),
        Burst = 1,
    };
}
