using System.Runtime.CompilerServices;
using Throttled.Journal.Loop;
using Throttled.Journal.Pages;
using Throttled.Journal.Permits;
using Throttled.Journal.Queries;
using Throttled.Journal.Tail;

namespace Throttled.Faults.Bounds;

/// <summary>Everything that an engine keeps for its queries, read at one moment on its loop. Nothing may be left of an ended query.</summary>
internal sealed record EngineBooks
{
    /// <summary>Statements with a permit, as counted by the scheduler.</summary>
    internal int Slots { get; private init; }

    /// <summary>Permits in use, as counted by their ledger.</summary>
    internal int Permits { get; private init; }

    internal int PermitsRequested { get; init; }

    internal int Running { get; private init; }

    internal int Lost { get; private init; }

    /// <summary>Queries in a queue.</summary>
    internal int Queued { get; private init; }

    /// <summary>Batches whose statement failed and that will be retried.</summary>
    internal int Retries { get; private init; }

    internal int HeldPages { get; private init; }

    internal long Bytes { get; private init; }

    internal int FollowersById { get; private init; }

    internal int FollowersInOrder { get; private init; }

    internal int FollowersOfIds { get; private init; }

    internal long Following { get; private init; }

    internal long Lagging { get; private init; }

    public override string ToString() =>
        $"{Slots} slots, {Permits} permits, {PermitsRequested} requested, {Running} running, {Lost} lost, {Queued} queued, {Retries} retries, "
        + $"{HeldPages} pages of {Bytes} bytes, {FollowersById} + {FollowersInOrder} + {FollowersOfIds} followers, "
        + $"{Following} following, {Lagging} lagging";

    internal static EngineBooks Empty { get; } = new();

    internal static Task<EngineBooks> OfAsync(JournalReader reader) => OnLoopAsync(reader, Of);

    /// <summary>Whether statements may run.</summary>
    internal static Task<bool> IsUpAsync(JournalReader reader) => OnLoopAsync(reader, context => ContextOf(context.Scheduler).Breaker.IsAvailable);

    private static Task<T> OnLoopAsync<T>(JournalReader reader, Func<FeedContext, T> read)
    {
        var context = FeedsOf(reader.Engine);
        var seen = new TaskCompletionSource<T>(TaskCreationOptions.RunContinuationsAsynchronously);
        context.Journal.Loop.Post(_ => seen.SetResult(read(context)), seen);
        return seen.Task;
    }

    private static EngineBooks Of(FeedContext context)
    {
        var (scheduler, others) = (context.Scheduler, ContextOf(context.Scheduler));
        var ledger = LedgerOf(TimedOf((LocalPermits)others.Permits));
        return new()
        {
            Slots = scheduler.Slots,
            Permits = ledger.Held,
            PermitsRequested = ledger.Waiting,
            Running = RunningOf(scheduler).Count,
            Lost = others.BrokenSessions.Count,
            Queued = QueuesOf(scheduler).Count,
            // HasReady drops ready batches without queries, so it is read before ReadyCount.
            Retries = (RetriesOf(scheduler).HasReady ? RetriesOf(scheduler).ReadyCount : 0) + LaterOf(RetriesOf(scheduler)).Keys.Count(batch => batch.Count > 0),
            HeldPages = RequestsOf(context.Held).Count,
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
    private static extern ref SchedulerContext ContextOf(PageScheduler scheduler);

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_running")]
    private static extern ref HashSet<BatchRun> RunningOf(PageScheduler scheduler);

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_queues")]
    private static extern ref PageQueues QueuesOf(PageScheduler scheduler);

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_retries")]
    private static extern ref BatchRetries RetriesOf(PageScheduler scheduler);

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_later")]
    private static extern ref Dictionary<PageBatch, Journal.Loop.LoopTimer> LaterOf(BatchRetries retries);

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_requests")]
    private static extern ref LinkedQueue<PageRequest> RequestsOf(HeldPages held);

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_followers")]
    private static extern ref FollowerIndex<IByIdFollower> FollowersOf(JournalTail tail);

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_ledger")]
    private static extern ref TimedLedger TimedOf(LocalPermits permits);

    // The name that the compiler gives to the field of a primary constructor's parameter.
    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "<ledger>P")]
    private static extern ref PermitLedger LedgerOf(TimedLedger ledger);
}
