using System.Diagnostics;
using Throttled.Benchmarks.Writing;

namespace Throttled.Benchmarks.Tags;

/// <summary>The figures of one run.</summary>
/// <param name="Seconds">The time until each stream had all its events: from the start of the streams, or from the last commit.</param>
/// <param name="Statements">The number of statements, as the readers count them.</param>
/// <param name="Load">The work of the server; 0 without a server.</param>
/// <param name="Allocated">Bytes allocated by this process; while it follows, by the writers too.</param>
internal sealed record TagFigures(double Seconds, double Statements, Load Load, long Allocated);

/// <summary>One run of the streams of a plan, with one kind of reader.</summary>
/// <param name="server">The server's load; null without a server.</param>
/// <param name="tagged">The number of tagged events of the plan in the journal, and of those that are written.</param>
internal sealed class TagRun(OwnJournal journal, ServerLoad? server, TagPlan plan, int tagged)
{
    private const double WrittenPerSecond = 500;

    private static readonly TimeSpan Patience = TimeSpan.FromMinutes(5);

    /// <summary>Runs all streams from the beginning of the journal.</summary>
    internal Task<TagFigures> CatchUpAsync(ITagReaders readers) => RunAsync(readers, async () =>
    {
        var streams = new TagStreams(plan, 0, (0, tagged));
        var watch = Stopwatch.StartNew();
        readers.Start(streams);
        if (readers is not NoReaders)
            await streams.Done.WaitAsync(Patience);
        return watch.Elapsed.TotalSeconds;
    });

    /// <summary>Runs all streams from the journal end, while the same number of events is written.</summary>
    internal async Task<TagFigures> FollowAsync(ITagReaders readers)
    {
        var end = await journal.EndAsync();
        JournalEvent[] events = [.. plan.Events(tagged, tagged)];
        var figures = await RunAsync(readers, async () =>
        {
            var streams = new TagStreams(plan, end, (tagged, tagged));
            readers.Start(streams);
            await readers.FollowAsync();
            await using var writers = new SteadyWriters(journal);
            await writers.RunAsync(events, WrittenPerSecond);
            var watch = Stopwatch.StartNew();
            if (readers is not NoReaders)
                await streams.Done.WaitAsync(Patience);
            return watch.Elapsed.TotalSeconds;
        });
        await journal.DeletePastAsync(end);
        return figures;
    }

    private async Task<TagFigures> RunAsync(ITagReaders readers, Func<Task<double>> read)
    {
        if (server is not null)
            await server.SettleAsync();
        await readers.OpenAsync();
        var (before, statements, seconds) = (await LoadAsync(), readers.Statements, 0.0);
        var allocated = GC.GetTotalAllocatedBytes(precise: true);
        try
        {
            seconds = await read();
            statements = readers.Statements - statements;
            allocated = GC.GetTotalAllocatedBytes(precise: true) - allocated;
        }
        finally
        {
            await readers.DisposeAsync();
        }
        if (server is not null)
            await server.SettleAsync();
        return new(seconds, statements, await LoadAsync() - before, allocated);
    }

    private async Task<Load> LoadAsync() => server is null ? new(0, 0, 0, 0) : await server.ReadAsync();
}
