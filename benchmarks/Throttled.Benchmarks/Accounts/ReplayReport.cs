using System.Text.Json.Serialization;

namespace Throttled.Benchmarks.Accounts;

/// <summary>What came of the replays of one database.</summary>
internal sealed record ReplayReport
{
    public required string Database { get; init; }

    public required int Events { get; init; }

    public required int Accounts { get; init; }

    /// <summary>Milliseconds of a commit of one row by the bare driver, which the disk decides; the median.</summary>
    public required double CommitMs { get; init; }

    /// <summary>How often merging rows and their floors were measured, in turn; what they have is the median.</summary>
    public required int Rounds { get; init; }

    public required IReadOnlyList<ReplayFigures> Rows { get; init; }

    /// <summary>The time of the fastest row over that of the fastest floor, whatever their batches.</summary>
    [JsonIgnore]
    public double OverBestFloor => Rows.Max(row => row.FloorEventsPerSecond ?? 0) / Rows.Max(row => row.EventsPerSecond);
}

/// <summary>What came of one way to replay.</summary>
/// <param name="EventsPerSecond">From the projection's start to the last commit.</param>
/// <param name="Ratio">Over the first row.</param>
/// <param name="FloorEventsPerSecond">By the bare driver, in batches of the same size; null where the row does not merge.</param>
/// <param name="OverFloor">The row's time over its floor's.</param>
internal sealed record ReplayFigures(
    string Name, int Batch, int Lanes, int Events, double EventsPerSecond, double Ratio, double? FloorEventsPerSecond, double? OverFloor, ReplayMemory Memory);

/// <summary>Managed memory in use, in MB, with garbage that was not collected yet.</summary>
/// <param name="Before">Before the replay, after a collection. The recomputed balances are a part of it.</param>
/// <param name="FirstHalf">The most at any of the samples, until half of the events were handled.</param>
/// <param name="SecondHalf">The same after that.</param>
internal sealed record ReplayMemory(long Before, long FirstHalf, long SecondHalf);
