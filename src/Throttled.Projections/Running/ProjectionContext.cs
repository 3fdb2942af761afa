using System.Security.Cryptography;
using Microsoft.Extensions.Logging.Abstractions;
using Throttled.Projections.Diagnostics;
using Throttled.Projections.Lanes;
using Throttled.Projections.Reads;
using Throttled.Projections.Store;
using Throttled.Projections.Tables;

namespace Throttled.Projections.Running;

internal sealed record ProjectionContext
{
    internal required IProjectionStore Store { get; init; }

    internal required ProjectionHandler Handler { get; init; }

    internal required ProjectionOptions Options { get; init; }

    internal ProjectionMetrics? Metrics { get; init; }

    internal required ProjectionAvailability Availability { get; init; }

    internal required Func<VersionRow, ILaneWorker> CreateWorker { get; init; }

    internal required ShardMap Map { get; init; }

    internal required IReadOnlyList<SourceShard> Shards { get; init; }

    internal Random Random { get; init; } = Random.Shared;

    internal TaskCreationOptions Continuations { get; init; } = TaskCreationOptions.RunContinuationsAsynchronously;

    internal required string ProcessName { get; init; }

    internal static ProjectionContext Of(JournalReader journal, ReadModelDatabase readModel, ProjectionHandler handler, ProjectionOptions options)
    {
        var shards = SourceShard.Of(journal, options.Source);
        options = options with { Lanes = Math.Max(options.Lanes, shards.Count) };
        var store = new ProjectionStore(readModel);
        var metrics = new ProjectionMetrics(options.Name);
        var log = (options.LoggerFactory ?? NullLoggerFactory.Instance).CreateLogger(ProjectionLog.Category);
        var availability = ProjectionAvailability.Of(options, readModel.Name, log, [.. shards.Select(shard => shard.Prefix)]);
        return new()
        {
            Store = store,
            Handler = handler,
            Options = options,
            Metrics = metrics,
            Availability = availability,
            ProcessName = options.ProcessName ?? NewProcessName(),
            CreateWorker = row => new LaneWorker(
                shards,
                new(row.Version, handler, options, store, readModel.Dialect)
                {
                    Telemetry = new LaneTelemetry(row.Version, log, metrics.Of(row.Version), availability, options.TimeProvider),
                    Lanes = row.Lanes,
                }),
            Map = SourceShard.MapOf(journal),
            Shards = shards,
        };
    }

    // Unique, because two processes with the same name take over each other's lanes. Readable, so that an operator finds the process.
    internal static string NewProcessName() =>
        FormattableString.Invariant($"{Environment.MachineName}-{Environment.ProcessId}-{RandomNumberGenerator.GetHexString(6, lowercase: true)}");
}
