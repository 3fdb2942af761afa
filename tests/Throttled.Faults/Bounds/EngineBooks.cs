using System.Runtime.CompilerServices;
using Throttled.Journal.Faults;
using Throttled.Journal.Lines;
using Throttled.Journal.Pages;
using Throttled.Journal.Permits;
using Throttled.Journal.Queries;
using Throttled.Journal.Tail;

namespace Throttled.Faults.Bounds;

/// <summary>All that an engine keeps of its queries, as it was at one moment on its loop. Nothing of it may be left of a query that ended.</summary>
internal sealed record EngineBooks
{
    /// <summary>Statements that hold a permit, as the scheduler counts them.</summary>
    internal int Slots { get; private init; }

    /// <summary>Permits that are out, as their ledger counts them.</summary>
    internal int Permits { get; private init; }

    internal int PermitsAskedFor { get; init; }

    internal int Running { get; private init; }

    internal int Lost { get; private init; }

    /// <summary>Queries in a queue.</summary>
    internal int InLine { get; private init; }

    /// <summary>Batches whose statement failed and that are tried again.</summary>
    internal int Retries { get; private init; }

    internal int HeldPages { get; private init; }

    internal long Bytes { get; private init; }

    internal int FollowersById { get; private init; }

    internal int FollowersInOrder { get; private init; }

    internal int FollowersOfIds { get; private init; }

    internal long Following { get; private init; }

    internal long Lagging { get; private init; }

    public override string ToString() =>
        $"{Slots} slots, {Permits} permits, {PermitsAskedFor} asked for, {Running} running, {Lost} lost, {InLine} in line, {Retries} retries, "
        + $"{HeldPages} pages of {Bytes} bytes, {FollowersById} + {FollowersInOrder} + {FollowersOfIds} followers, "
        + $"{Following} following, {Lagging} lagging";

    internal static EngineBooks Empty { get; } = new();

    internal static Task<EngineBooks> OfAsync(JournalReader reader) => OnLoopAsync(reader, Of);

    /// <summary>Whether statements may run.</summary>
    internal static Task<bool> IsUpAsync(JournalReader reader) => OnLoopAsync(reader, parts => PartsOf(parts.Gate).Outage.IsUp);

    private static Task<T> OnLoopAsync<T>(JournalReader reader, Func<FeedParts, T> look)
    {
        var parts = FeedsOf(reader.Engine);
        var seen = new TaskCompletionSource<T>(TaskCreationOptions.RunContinuationsAsynchronously);
        parts.Context.Loop.Post(_ => seen.SetResult(look(parts)), seen);
        return seen.Task;
    }

    private static EngineBooks Of(FeedParts parts)
    {
        var (gate, others) = (parts.Gate, PartsOf(parts.Gate));
        var ledger = LedgerOf(TimedOf((LocalPermits)others.Permits));
        return new()
        {
            Slots = gate.Slots,
            Permits = ledger.Held,
            PermitsAskedFor = ledger.Waiting,
            Running = RunningOf(gate).Count,
            Lost = others.Lost.Count,
            InLine = LinesOf(gate).Count,
            // Those that are ready and nobody wants are only dropped when they are looked at.
            Retries = (RetriesOf(gate).HasReady ? RetriesOf(gate).ReadyCount : 0) + LaterOf(RetriesOf(gate)).Keys.Count(batch => batch.Count > 0),
            HeldPages = HoldersOf(parts.Held).Count,
            Bytes = parts.Budget.Used,
            FollowersById = FollowersOf(parts.Tail).Count,
            FollowersInOrder = parts.Tail.Ordered.Count,
            FollowersOfIds = parts.Tail.Ids.Count,
            Following = parts.Gauges.Following,
            Lagging = parts.Gauges.Lagging,
        };
    }

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_feeds")]
    private static extern ref FeedParts FeedsOf(JournalEngine engine);

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_schedulerContext")]
    private static extern ref GateParts PartsOf(PageGate gate);

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_running")]
    private static extern ref HashSet<PageRun> RunningOf(PageGate gate);

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_queues")]
    private static extern ref PageLines LinesOf(PageGate gate);

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_retries")]
    private static extern ref PageRetries RetriesOf(PageGate gate);

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_later")]
    private static extern ref Dictionary<PageBatch, Journal.Loop.LoopTimer> LaterOf(PageRetries retries);

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_requests")]
    private static extern ref Line<PageRequest> HoldersOf(HeldPages held);

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_followers")]
    private static extern ref FollowerIndex<IByIdFollower> FollowersOf(JournalTail tail);

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_ledger")]
    private static extern ref TimedLedger TimedOf(LocalPermits permits);

    // The compiler's name for what a primary constructor keeps.
    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "<ledger>P")]
    private static extern ref PermitLedger LedgerOf(TimedLedger ledger);
}
