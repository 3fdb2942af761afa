using System.Text.Json.Serialization;

namespace BankAccounts.Replay;

/// <summary>The results of the replays on one database.</summary>
internal sealed record ReplayReport
{
    /// <summary>The wanted speed of the fastest row, as a multiple of the first row's speed; at least.</summary>
    internal const double WantedRatio = 100;

    /// <summary>The wanted time of the fastest row, as a multiple of the fastest floor's time; at most.</summary>
    internal const double WantedOverFloor = 1.5;

    /// <summary>The wanted speed of the fastest row, in events per second; at least.</summary>
    internal const double WantedRate = 100_000;

    public required string Database { get; init; }

    public required int Events { get; init; }

    public required int Accounts { get; init; }

    /// <summary>Milliseconds of a commit of one row by the bare driver, which depend on the disk; the median.</summary>
    public required double CommitMs { get; init; }

    /// <summary>The number of times that merging rows and their floors were measured, in turn. The results are medians.</summary>
    public required int Rounds { get; init; }

    public required IReadOnlyList<ReplayFigures> Rows { get; init; }

    /// <summary>The fastest row.</summary>
    [JsonIgnore]
    public ReplayFigures Best => Rows.MaxBy(row => row.EventsPerSecond)!;

    /// <summary>The time of the fastest row over the time of the fastest floor, whatever their batch sizes.</summary>
    [JsonIgnore]
    public double OverBestFloor => Rows.Max(row => row.FloorEventsPerSecond ?? 0) / Best.EventsPerSecond;

    [JsonIgnore]
    public bool IsFlawless => Rows.All(row => row.Differences == 0);
}

/// <summary>The result of one way to replay.</summary>
internal sealed record ReplayFigures
{
    public required string Name { get; init; }

    public required int Batch { get; init; }

    public required int Lanes { get; init; }

    /// <summary>The number of replayed events.</summary>
    public required int Events { get; init; }

    /// <summary>From the projection's start to the last committed event.</summary>
    public required double Seconds { get; init; }

    public required double EventsPerSecond { get; init; }

    /// <summary>The speed over that of the first row.</summary>
    public required double Ratio { get; init; }

    /// <summary>The speed of the bare driver, in batches of the same size; null if the row does not merge.</summary>
    public double? FloorEventsPerSecond { get; init; }

    /// <summary>The row's time over its floor's time.</summary>
    public double? OverFloor { get; init; }

    /// <summary>Accounts that differ from a recomputation.</summary>
    public required long Differences { get; init; }

    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public string? FirstDifference { get; init; }
}
