using System.Security.Cryptography;
using Microsoft.Extensions.Logging.Abstractions;
using Throttled.Journal;
using Throttled.Projections.Diagnostics;
using Throttled.Projections.Lanes;
using Throttled.Projections.Store;

namespace Throttled.Projections.Running;

/// <summary>Makes a runner's parts of what a user gives.</summary>
internal static class ProjectionWiring
{
    internal static ProjectionParts Of(JournalReader journal, ReadModel readModel, ProjectionHandler handler, ProjectionOptions options)
    {
        var reading = new JournalReading(journal, options.Source);
        var (reads, shards) = (reading.Reads, reading.Shards);
        options = options with { Lanes = Math.Max(options.Lanes, shards.Count) };
        var store = new ProjectionStore(readModel);
        var metrics = new ProjectionMetrics(options.Name);
        var log = (options.LoggerFactory ?? NullLoggerFactory.Instance).CreateLogger(ProjectionLog.Category);
        var outages = Outages.Of(options, log, [.. shards.Select(shard => shard.Prefix)]);
        return new()
        {
            Store = store,
            Handler = handler,
            Options = options,
            Metrics = metrics,
            Outages = outages,
            Member = options.Process ?? NewMember(),
            Crew = row => new LaneCrew(
                reads,
                new(row.Target, handler, options, store, readModel.Dialect)
                {
                    News = new TargetNews(row.Target, log, metrics.Of(row.Target), outages, options.TimeProvider),
                    Lanes = row.Lanes,
                }),
            Map = reading.Map,
            Shards = shards,
        };
    }

    // Unique, because whoever has the name of another takes its lanes for its own; and such that a person finds the process by it.
    internal static string NewMember() =>
        FormattableString.Invariant($"{Environment.MachineName}-{Environment.ProcessId}-{RandomNumberGenerator.GetHexString(6, lowercase: true)}");
}
