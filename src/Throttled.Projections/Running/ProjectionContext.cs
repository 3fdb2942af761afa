using System.Security.Cryptography;
using Microsoft.Extensions.Logging.Abstractions;
using Throttled.Journal;
using Throttled.Projections.Diagnostics;
using Throttled.Projections.Lanes;
using Throttled.Projections.Reads;
using Throttled.Projections.Store;
using Throttled.Projections.Tables;

namespace Throttled.Projections.Running;

/// <summary>What a runner works with.</summary>
internal sealed record ProjectionContext
{
    internal required IProjectionStore Store { get; init; }

    internal required ProjectionHandler Handler { get; init; }

    internal required ProjectionOptions Options { get; init; }

    /// <summary>The figures; null where nobody wants any.</summary>
    internal ProjectionMetrics? Metrics { get; init; }

    /// <summary>Whether its databases can be used.</summary>
    internal required ProjectionAvailability Availability { get; init; }

    /// <summary>Makes the worker of a version.</summary>
    internal required Func<VersionRow, ILaneWorker> CreateWorker { get; init; }

    /// <summary>Which shard of the journal has which slices; null where it is not sharded.</summary>
    internal ShardMap? Map { get; init; }

    /// <summary>The shards that have slices of the source, in the order of these.</summary>
    internal required IReadOnlyList<JournalShard> Shards { get; init; }

    internal Random Random { get; init; } = Random.Shared;

    /// <summary>How whatever wakes the runner goes on.</summary>
    internal TaskCreationOptions Continuations { get; init; } = TaskCreationOptions.RunContinuationsAsynchronously;

    /// <summary>What this process is called.</summary>
    internal required string ProcessName { get; init; }
}

/// <summary>Makes a runner's parts of what a user gives.</summary>
internal static class ProjectionWiring
{
    internal static ProjectionContext Of(JournalReader journal, ReadModelDatabase readModel, ProjectionHandler handler, ProjectionOptions options)
    {
        var reading = new JournalReading(journal, options.Source);
        var (reads, shards) = (reading.Reads, reading.Shards);
        options = options with { Lanes = Math.Max(options.Lanes, shards.Count) };
        var store = new ProjectionStore(readModel);
        var metrics = new ProjectionMetrics(options.Name);
        var log = (options.LoggerFactory ?? NullLoggerFactory.Instance).CreateLogger(ProjectionLog.Category);
        var availability = ProjectionAvailability.Of(options, log, [.. shards.Select(shard => shard.Prefix)]);
        return new()
        {
            Store = store,
            Handler = handler,
            Options = options,
            Metrics = metrics,
            Availability = availability,
            ProcessName = options.ProcessName ?? NewProcessName(),
            CreateWorker = row => new LaneWorker(
                reads,
                new(row.Version, handler, options, store, readModel.Dialect)
                {
                    Telemetry = new VersionTelemetry(row.Version, log, metrics.Of(row.Version), availability, options.TimeProvider),
                    Lanes = row.Lanes,
                }),
            Map = reading.Map,
            Shards = shards,
        };
    }

    // Unique, because whoever has the name of another takes its lanes for its own; and such that a person finds the process by it.
    internal static string NewProcessName() =>
        FormattableString.Invariant($"{Environment.MachineName}-{Environment.ProcessId}-{RandomNumberGenerator.GetHexString(6, lowercase: true)}");
}
