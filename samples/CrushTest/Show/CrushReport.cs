using System.Text.Json.Serialization;

namespace CrushTest.Show;

/// <summary>The result. Times are medians of the rounds, in seconds unless the name says otherwise. A value that was not measured is null.</summary>
internal sealed record CrushReport
{
    public string Verdict => Show.Verdict.Of(this);

    public required int Streams { get; init; }
    public required int EventsPerStream { get; init; }
    public required int Page { get; init; }
    public required string Database { get; init; }
    public required int Shards { get; init; }
    public required string Payload { get; init; }
    public required int Rounds { get; init; }

    /// <summary>Whether an actor followed each query. Otherwise the engine ran alone.</summary>
    public required bool HasActors { get; init; }

    /// <summary>Statements that may run at once on a database, as configured.</summary>
    public required int Permits { get; init; }

    /// <summary>The statements that each database lets the engine run at once.</summary>
    public required IReadOnlyList<int> PermitsInEffect { get; init; }

    /// <summary>From the start of the first query to the last event.</summary>
    public required double Seconds { get; init; }
    public required double EventsPerSecond { get; init; }

    /// <summary>The bare driver's time for the same rows, and <see cref="Seconds"/> divided by it.</summary>
    public required double FloorSeconds { get; init; }
    public required double Ratio { get; init; }

    /// <summary>The same queries without Akka, read by loops.</summary>
    public required double EngineSeconds { get; init; }

    /// <summary>Empty streams into the same actors: as many events each, and no journal.</summary>
    public double? EmptySeconds { get; init; }

    /// <summary><see cref="Seconds"/> divided by the time of engine and empty streams together.</summary>
    public double? RatioToParts { get; init; }

    /// <summary>The same actors with subscriptions instead of streams, and this time divided by that of the engine.</summary>
    public double? SubscriptionSeconds { get; init; }
    public double? SubscriptionRatioToEngine { get; init; }

    /// <summary>Time to decode all payloads, and nothing else, on all cores.</summary>
    public double? DecodingSeconds { get; init; }

    /// <summary>Microseconds of processor time for an event, of this process: SQLite is part of it, a server is not.</summary>
    public required double CpuPerEvent { get; init; }
    public required double FloorCpuPerEvent { get; init; }

    /// <summary>Statements of the last round until the last event; the most at once of all rounds.</summary>
    public required long Statements { get; init; }
    public required int MaxInFlight { get; init; }

    /// <summary>The database's view that shows them; null if they were counted at the driver.</summary>
    [JsonIgnore]
    public string? InFlightView { get; init; }

    /// <summary>Queries that ended with an error or by themselves. This and the next three count all rounds, engine and empty streams too.</summary>
    public required long Failed { get; init; }
    public required long Missing { get; init; }
    public required long Doubled { get; init; }
    public required long OutOfOrder { get; init; }
    public string? FirstFailure { get; init; }

    /// <summary>Log messages at Warning or above, the first of each kind.</summary>
    public IReadOnlyList<string>? Warnings { get; init; }

    /// <summary>The interval between polls of the idle journal.</summary>
    public required double RefreshIntervalMs { get; init; }
    public required double IdleStatementsPerSecond { get; init; }

    /// <summary>From commit to arrival. The first event after the idle time waits for the next poll.</summary>
    public required double DeliveryAfterIdleMs { get; init; }
    public required double DeliveryP50Ms { get; init; }
    public required double DeliveryP99Ms { get; init; }

    /// <summary>The engine's memory for one idle live query, without its reading loop.</summary>
    public double? BytesPerLiveQuery { get; init; }

    /// <summary>Memory of an idle actor with its live query, and of the same actor with an empty stream.</summary>
    public double? BytesPerLiveStream { get; init; }
    public double? BytesPerEmptyStream { get; init; }

    /// <summary>Memory of an idle actor with its live subscription.</summary>
    public double? BytesPerLiveSubscription { get; init; }

    /// <summary>Bytes allocated per event by the whole process. Without Akka, the payload and the reading loop are subtracted.</summary>
    public required double AllocatedPerEvent { get; init; }
    public double? AllocatedPerEmptyEvent { get; init; }
    public double? AllocatedPerSubscriptionEvent { get; init; }

    /// <summary>The peak memory of the process, before <see cref="Beside"/> ran.</summary>
    public required double PeakMemoryMb { get; init; }

    /// <summary>Akka.Persistence.Sql on the same journal: with its default timeout, and with a longer one.</summary>
    public IReadOnlyList<BesideReport>? Beside { get; init; }

    [JsonIgnore]
    public bool IsFlawless => Failed + Missing + Doubled + OutOfOrder == 0;

    [JsonIgnore]
    public long AllEvents => (long)Streams * EventsPerStream;
}

/// <summary>The same actors with Akka.Persistence.Sql.</summary>
internal sealed record BesideReport
{
    public required string Plugin { get; init; }

    /// <summary>Its <c>query-throttle-timeout</c>.</summary>
    public required double TimeoutSeconds { get; init; }

    /// <summary>The time to the last event; or until no more events came; or to the limit.</summary>
    public required double Seconds { get; init; }

    /// <summary>The time divided by ours; null if not every stream reached its last event.</summary>
    public double? Ratio { get; init; }

    /// <summary>Streams that reached their last event, and events that arrived.</summary>
    public required int Complete { get; init; }
    public required long Delivered { get; init; }

    /// <summary>Streams that ended with an error or by themselves, some after their last event.</summary>
    public required long Failed { get; init; }
    public string? FirstFailure { get; init; }

    /// <summary>Bytes allocated per event by the whole process.</summary>
    public required double AllocatedPerEvent { get; init; }

    /// <summary>The peak memory of the process, up to the end of this run.</summary>
    public required double PeakMemoryMb { get; init; }
}
