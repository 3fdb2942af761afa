using System.Text.Json.Serialization;
using CrushTest.Show;

namespace CrushTest.Akka.Show;

/// <summary>What came of it.</summary>
internal sealed record AkkaCrushReport : IReport
{
    public required int Streams { get; init; }

    /// <summary>Events of each stream.</summary>
    public required int Events { get; init; }

    public required int Page { get; init; }

    public required string Database { get; init; }

    /// <summary>bytes or int.</summary>
    public required string Payload { get; init; }

    /// <summary>Of engine, empty streams and plugin in turn; their times are medians.</summary>
    public required int Rounds { get; init; }

    /// <summary>Statements that may run at once, as configured.</summary>
    public required int Permits { get; init; }

    /// <summary>As many of them as the database lets the engine use.</summary>
    public required int PermitsInEffect { get; init; }

    /// <summary>The plugin: from the start of the first actor to the last event.</summary>
    public required double Seconds { get; init; }

    public required double EventsPerSecond { get; init; }

    /// <summary>The engine without Akka: the same queries, read by loops.</summary>
    public required double EngineSeconds { get; init; }

    /// <summary>Empty streams into the same actors: as many events each, and no journal.</summary>
    public required double EmptySeconds { get; init; }

    /// <summary>The plugin's time over those of engine and empty streams together.</summary>
    public required double Ratio { get; init; }

    /// <summary>To decode all payloads and nothing else, with all cores.</summary>
    public required double DecodingSeconds { get; init; }

    /// <summary>Of the last round, until the last event.</summary>
    public required long Statements { get; init; }

    /// <summary>The most at once, of all rounds.</summary>
    public required int MaxInFlight { get; init; }

    /// <summary>Where the database shows them; null where they were counted at the driver.</summary>
    [JsonIgnore]
    public string? InFlightView { get; init; }

    /// <summary>Streams that ended with an error or by themselves.</summary>
    public required long Failed { get; init; }

    public required long Missing { get; init; }

    public required long Doubled { get; init; }

    public required long OutOfOrder { get; init; }

    public required double IdleStatementsPerSecond { get; init; }

    public required double DeliveryAfterIdleMs { get; init; }

    public required double DeliveryP50Ms { get; init; }

    public required double DeliveryP99Ms { get; init; }

    /// <summary>Memory kept for an idle actor and its live query.</summary>
    public required double BytesPerLiveStream { get; init; }

    /// <summary>Memory kept for the same actor and an empty stream that stays alive.</summary>
    public required double BytesPerEmptyStream { get; init; }

    /// <summary>Bytes allocated for an event by all that ran, the actors and streams too.</summary>
    public required double AllocatedPerEvent { get; init; }

    /// <summary>The same with empty streams.</summary>
    public required double AllocatedPerEmptyEvent { get; init; }

    /// <summary>The most memory that the process ever had.</summary>
    public required double PeakMemoryMb { get; init; }

    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public string? FirstFailure { get; init; }

    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public IReadOnlyList<string>? Warnings { get; init; }

    [JsonIgnore]
    public bool IsFlawless => Failed + Missing + Doubled + OutOfOrder == 0;

    IEnumerable<ReportRow> IReport.Rows => AkkaCrushRows.Of(this);
}
