using System.Runtime.CompilerServices;
using Throttled.Journal.Lines;
using Throttled.Journal.Loop;
using Throttled.Journal.Pages;

namespace Throttled.Testing.Scripted;

/// <summary>Who waits in the scheduler and who is served.</summary>
internal static class GateInsides
{
    internal static Line<PageRequest> ById(this PageGate gate) => ByIdOf(LinesOf(gate));

    internal static Line<PageRequest> Singles(this PageGate gate) => SinglesOf(LinesOf(gate)).Line;

    internal static HashSet<PageRun> Running(this PageGate gate) => RunningOf(gate);

    /// <summary>All batches: of statements that run, and that are to be repeated.</summary>
    internal static IEnumerable<PageBatch> Batches(this PageGate gate)
    {
        foreach (var run in RunningOf(gate))
            yield return run.Batch;
        foreach (var batch in ReadyOf(RetriesOf(gate)))
            yield return batch;
        foreach (var batch in LaterOf(RetriesOf(gate)).Keys)
            yield return batch;
    }

    /// <summary>All in a queue, the first one first.</summary>
    internal static void CopyTo(this Line<PageRequest> line, List<PageRequest> list)
    {
        list.Clear();
        for (var member = line.First; member is not null; member = ((ILineMember<PageRequest>)member).Behind)
            list.Add(member);
    }

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_queues")]
    private static extern ref PageLines LinesOf(PageGate gate);

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_running")]
    private static extern ref HashSet<PageRun> RunningOf(PageGate gate);

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_retries")]
    private static extern ref PageRetries RetriesOf(PageGate gate);

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_byId")]
    private static extern ref Line<PageRequest> ByIdOf(PageLines lines);

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_singles")]
    private static extern ref SingleLine SinglesOf(PageLines lines);

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_ready")]
    private static extern ref Queue<PageBatch> ReadyOf(PageRetries retries);

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_later")]
    private static extern ref Dictionary<PageBatch, LoopTimer> LaterOf(PageRetries retries);
}
