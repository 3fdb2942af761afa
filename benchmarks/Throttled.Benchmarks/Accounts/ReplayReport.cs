using System.Text.Json.Serialization;

namespace BankAccounts.Replay;

/// <summary>What came of the replays of one database.</summary>
internal sealed record ReplayReport
{
    /// <summary>The least that the fastest row is to have of the first row's speed.</summary>
    internal const double WantedRatio = 100;

    /// <summary>The most that the fastest row is to take of the fastest floor's time.</summary>
    internal const double WantedOverFloor = 1.5;

    /// <summary>The least that the fastest row is to replay in a second.</summary>
    internal const double WantedRate = 100_000;

    public required string Database { get; init; }

    public required int Events { get; init; }

    public required int Accounts { get; init; }

    /// <summary>Milliseconds of a commit of one row by the bare driver, which the disk decides; the median.</summary>
    public required double CommitMs { get; init; }

    /// <summary>How often merging rows and their floors were measured, in turn; what they have is the median.</summary>
    public required int Rounds { get; init; }

    public required IReadOnlyList<ReplayFigures> Rows { get; init; }

    /// <summary>The fastest.</summary>
    [JsonIgnore]
    public ReplayFigures Best => Rows.MaxBy(row => row.EventsPerSecond)!;

    /// <summary>The time of the fastest row over that of the fastest floor, whatever their batches.</summary>
    [JsonIgnore]
    public double OverBestFloor => Rows.Max(row => row.FloorEventsPerSecond ?? 0) / Best.EventsPerSecond;

    [JsonIgnore]
    public bool IsFlawless => Rows.All(row => row.Differences == 0);
}

/// <summary>What came of one way to replay.</summary>
internal sealed record ReplayFigures
{
    public required string Name { get; init; }

    public required int Batch { get; init; }

    public required int Lanes { get; init; }

    /// <summary>How many were replayed.</summary>
    public required int Events { get; init; }

    /// <summary>From the projection's start to the last position.</summary>
    public required double Seconds { get; init; }

    public required double EventsPerSecond { get; init; }

    /// <summary>Over the first row.</summary>
    public required double Ratio { get; init; }

    /// <summary>By the bare driver, in batches of the same size; null where the row does not merge.</summary>
    public double? FloorEventsPerSecond { get; init; }

    /// <summary>The row's time over its floor's.</summary>
    public double? OverFloor { get; init; }

    /// <summary>Accounts that are not as a plain recomputation has them.</summary>
    public required long Differences { get; init; }

    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public string? FirstDifference { get; init; }
}
