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
        var store = new ProjectionStore(readModel);
        var metrics = new ProjectionMetrics(options.Name);
        var log = (options.LoggerFactory ?? NullLoggerFactory.Instance).CreateLogger(ProjectionLog.Category);
        var outages = Outages.Of(options, log);
        return new()
        {
            Store = store,
            Handler = handler,
            Options = options,
            Metrics = metrics,
            Outages = outages,
            Member = options.Process ?? NewMember(),
            Crew = target => new LaneCrew(
                journal,
                new(target, handler, options, store, readModel.Dialect)
                {
                    News = new TargetNews(target, log, metrics.Of(target), outages),
                    AskJournal = journal.Engine.EndAsync,
                    LastGivenOut = journal.Engine.LastGivenOutAsync,
                }),
            End = journal.Engine.EndAsync,
            FirstBehind = (after, cancellation) => FirstBehindAsync(journal, after, cancellation),
        };
    }

    // Unique, because whoever has the name of another takes its lanes for its own; and such that a person finds the process by it.
    internal static string NewMember() =>
        FormattableString.Invariant($"{Environment.MachineName}-{Environment.ProcessId}-{RandomNumberGenerator.GetHexString(6, lowercase: true)}");

    private static async Task<JournalEvent?> FirstBehindAsync(JournalReader journal, long after, CancellationToken cancellation)
    {
        await foreach (var found in journal.CurrentAllEvents(after).WithCancellation(cancellation).ConfigureAwait(false))
            return found;
        return null;
    }
}
