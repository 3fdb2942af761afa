using System.Text.Json.Serialization;

namespace CrushTest.Show;

/// <summary>What came of it.</summary>
internal sealed record CrushReport : IReport
{
    public required int Streams { get; init; }

    /// <summary>Events of each stream.</summary>
    public required int Events { get; init; }

    public required int Page { get; init; }

    public required string Database { get; init; }

    /// <summary>Databases that the journal is divided among.</summary>
    public required int Shards { get; init; }

    /// <summary>Statements that may run at once on a database, as configured.</summary>
    public required int Permits { get; init; }

    /// <summary>As many of them as the databases let the engine use, together.</summary>
    public required int PermitsInEffect { get; init; }

    /// <summary>The same of each database.</summary>
    public required IReadOnlyList<int> PermitsOfEach { get; init; }

    /// <summary>From the start of the first query to the last event; the median of the rounds.</summary>
    public required double Seconds { get; init; }

    public required double EventsPerSecond { get; init; }

    /// <summary>The same rows by the bare driver; the median of the rounds.</summary>
    public required double FloorSeconds { get; init; }

    /// <summary>The engine's time over the floor's.</summary>
    public required double Ratio { get; init; }

    /// <summary>
    /// Microseconds of processor time for an event, of this process: on SQLite the database's too, of servers nothing. The median of the
    /// rounds.
    /// </summary>
    public required double CpuPerEvent { get; init; }

    /// <summary>The same of the floor.</summary>
    public required double FloorCpuPerEvent { get; init; }

    /// <summary>Statements of the last round, until the last event.</summary>
    public required long Statements { get; init; }

    /// <summary>The most at once, of all rounds.</summary>
    public required int MaxInFlight { get; init; }

    /// <summary>Where the database shows them; null where they were counted at the driver.</summary>
    [JsonIgnore]
    public string? InFlightView { get; init; }

    /// <summary>Queries that ended with an error or by themselves.</summary>
    public required long Failed { get; init; }

    public required long Missing { get; init; }

    public required long Doubled { get; init; }

    public required long OutOfOrder { get; init; }

    public required double IdleStatementsPerSecond { get; init; }

    /// <summary>Of the first event that is appended after the idle time: it waits for the tail's next look.</summary>
    public required double DeliveryAfterIdleMs { get; init; }

    public required double DeliveryP50Ms { get; init; }

    public required double DeliveryP99Ms { get; init; }

    /// <summary>The engine's memory for one idle live query, without the loop that reads it.</summary>
    public required double BytesPerLiveQuery { get; init; }

    /// <summary>
    /// Bytes that the engine allocated for an event, without the payload and the loop that reads it; what a query costs once is
    /// spread over its events.
    /// </summary>
    public required double AllocatedPerEvent { get; init; }

    /// <summary>The most memory that the process ever had, floor rounds included.</summary>
    public required double PeakMemoryMb { get; init; }

    /// <summary>Why the first of the failed queries failed.</summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public string? FirstFailure { get; init; }

    /// <summary>What the engine warned of in its log, the first of each kind.</summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public IReadOnlyList<string>? Warnings { get; init; }

    [JsonIgnore]
    public bool IsFlawless => Failed + Missing + Doubled + OutOfOrder == 0;

    IEnumerable<ReportRow> IReport.Rows => CrushRows.Of(this);
}
