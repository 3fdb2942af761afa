using Throttled.Journal;
using Throttled.Projections.Databases;
using Throttled.Projections.Payloads;
using Throttled.Projections.Store;

namespace Throttled.Projections.Lanes;

/// <summary>What all lanes of a version share.</summary>
/// <param name="Version">The read model.</param>
/// <param name="Handler">Who gets the events.</param>
/// <param name="Options">How.</param>
/// <param name="Store">The read model's database.</param>
/// <param name="Dialect">How it spells.</param>
internal sealed record LaneContext(
    string Version, ProjectionHandler Handler, ProjectionOptions Options, ILaneStore Store, ReadModelDialect Dialect)
{
    /// <summary>Reports what happens to lanes, to log and metrics.</summary>
    internal required LaneTelemetry Telemetry { get; init; }

    /// <summary>How many lanes the version has over all processes.</summary>
    internal int Lanes { get; init; } = Options.Lanes;

    internal Func<JournalEvent, object?> Decode { get; init; } = Options.Decoder ?? DefaultDecoder.Decode;

    /// <summary>From 0 to 1, for the pauses between attempts.</summary>
    internal Func<double> Random { get; init; } = System.Random.Shared.NextDouble;

    internal TimeProvider Time => Options.TimeProvider;

    /// <summary>How many bytes a lane may hold.</summary>
    internal long BytesPerLane => Math.Max(1, Options.MaxBufferedBytes / Lanes);

    /// <summary>How many dead letters a lane may keep.</summary>
    internal int DeadLettersPerLane => Math.Max(1, Options.MaxDeadLetters / Lanes);
}
