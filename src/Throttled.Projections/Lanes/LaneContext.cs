using Throttled.Projections.Databases;
using Throttled.Projections.Offsets;
using Throttled.Projections.Payloads;
using Throttled.Projections.Store;

namespace Throttled.Projections.Lanes;

/// <summary>What all lanes of a version share.</summary>
internal sealed record LaneContext(
    string Version, ProjectionHandler Handler, ProjectionOptions Options, ILaneStore Store, ReadModelDialect Dialect)
{
    internal required LaneTelemetry Telemetry { get; init; }

    /// <summary>The number of lanes of the version over all processes.</summary>
    internal int Lanes { get; init; } = Options.Lanes;

    /// <summary>Each lane has its own.</summary>
    internal VersionHistory History { get; init; } = new(Version);

    internal Func<JournalEvent, object?> Decode { get; init; } = Options.Decoder ?? DefaultDecoder.Decode;

    /// <summary>Returns null also for an object that is not in the source. An event that could not be decoded may turn out to be one.</summary>
    internal object? DecodeInSource(JournalEvent stored) => Decode(stored) is { } payload && Options.Source.HasDecoded(payload) ? payload : null;

    /// <summary>From 0 to 1, for the pauses between attempts.</summary>
    internal Func<double> Random { get; init; } = System.Random.Shared.NextDouble;

    internal TimeProvider Time => Options.TimeProvider;

    internal long BytesPerLane => Math.Max(1, Options.MaxBufferedBytes / Lanes);

    internal int DeadLettersPerLane => Math.Max(1, Options.MaxDeadLetters / Lanes);
}
