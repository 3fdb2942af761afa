using System.Runtime.CompilerServices;
using Throttled.Journal;
using Throttled.Journal.Loop;
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
    internal static Task<bool> IsUpAsync(JournalReader reader) => OnLoopAsync(reader, context => PartsOf(context.Scheduler).Breaker.IsAvailable);

    private static Task<T> OnLoopAsync<T>(JournalReader reader, Func<FeedContext, T> look)
    {
        var context = FeedsOf(reader.Engine);
        var seen = new TaskCompletionSource<T>(TaskCreationOptions.RunContinuationsAsynchronously);
        context.Journal.Loop.Post(_ => seen.SetResult(look(context)), seen);
        return seen.Task;
    }

    private static EngineBooks Of(FeedContext context)
    {
        var (scheduler, others) = (context.Scheduler, PartsOf(context.Scheduler));
        var ledger = LedgerOf(TimedOf((LocalPermits)others.Permits));
        return new()
        {
            Slots = scheduler.Slots,
            Permits = ledger.Held,
            PermitsAskedFor = ledger.Waiting,
            Running = RunningOf(scheduler).Count,
            Lost = others.BrokenSessions.Count,
            InLine = LinesOf(scheduler).Count,
            // Those that are ready and nobody wants are only dropped when they are looked at.
            Retries = (RetriesOf(scheduler).HasReady ? RetriesOf(scheduler).ReadyCount : 0) + LaterOf(RetriesOf(scheduler)).Keys.Count(batch => batch.Count > 0),
            HeldPages = HoldersOf(context.Held).Count,
            Bytes = context.Budget.Used,
            FollowersById = FollowersOf(context.Tail).Count,
            FollowersInOrder = context.Tail.Ordered.Count,
            FollowersOfIds = context.Tail.Ids.Count,
            Following = context.Gauges.Following,
            Lagging = context.Gauges.Lagging,
        };
    }

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_feeds")]
    private static extern ref FeedContext FeedsOf(JournalEngine engine);

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_schedulerContext")]
    private static extern ref SchedulerContext PartsOf(PageScheduler scheduler);

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_running")]
    private static extern ref HashSet<BatchRun> RunningOf(PageScheduler scheduler);

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_queues")]
    private static extern ref PageQueues LinesOf(PageScheduler scheduler);

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_retries")]
    private static extern ref BatchRetries RetriesOf(PageScheduler scheduler);

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_later")]
    private static extern ref Dictionary<PageBatch, Journal.Loop.LoopTimer> LaterOf(BatchRetries retries);

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_requests")]
    private static extern ref LinkedQueue<PageRequest> HoldersOf(HeldPages held);

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_followers")]
    private static extern ref FollowerIndex<IByIdFollower> FollowersOf(JournalTail tail);

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_ledger")]
    private static extern ref TimedLedger TimedOf(LocalPermits permits);

    // The compiler's name for what a primary constructor keeps.
    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "<ledger>P")]
    private static extern ref PermitLedger LedgerOf(TimedLedger ledger);
}
