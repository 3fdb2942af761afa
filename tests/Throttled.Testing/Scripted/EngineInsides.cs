using System.Runtime.CompilerServices;
using Throttled.Journal.Faults;
using Throttled.Journal.Ordering;
using Throttled.Journal.Pages;
using Throttled.Journal.Queries;
using Throttled.Journal.Rows;
using Throttled.Journal.Tail;

namespace Throttled.Testing.Scripted;

/// <summary>Internals of an engine that only tests read.</summary>
internal static class EngineInsides
{
    internal static FeedContext Parts(this JournalEngine engine) => FeedsOf(engine);

    internal static ByteBudget Budget(this JournalEngine engine) => FeedsOf(engine).Budget;

    internal static int Slots(this JournalEngine engine) => FeedsOf(engine).Scheduler.Slots;

    internal static int Followers(this JournalEngine engine) => FollowersOf(FeedsOf(engine).Tail).Count;

    /// <summary>Whether the tail works for any query.</summary>
    internal static bool HasFollowers(this JournalEngine engine) => FeedsOf(engine).Tail.HasFollowers;

    internal static HighWaterMark HighWaterMark(this JournalEngine engine) => HighWaterMarkOf(FeedsOf(engine).Tail);

    internal static CircuitBreaker Outage(this JournalEngine engine) => OutageOf(engine);

    /// <summary>Broken sessions whose statements may still run.</summary>
    internal static int Lost(this JournalEngine engine) => LostOf(engine).Count;

    /// <summary>The rows above the high-water mark.</summary>
    internal static ReorderBuffer ReorderBuffer(this JournalEngine engine) => ReorderBufferOf(FeedsOf(engine).Tail.Ordered);

    internal static long Bytes(this ReorderBuffer buffer) => BytesOf(buffer);

    /// <summary>The events that the tail gave a feed and that its reader has not requested yet; null for none.</summary>
    internal static PendingEvents? Arrived(this PageRequest feed) => feed switch
    {
        ByIdFeed byId => ArrivedOf(byId),
        OrderedFeed ordered => ArrivedOf(ordered),
        _ => null,
    };

    internal static int Gaps(this JournalEngine engine) => HighWaterMarkOf(FeedsOf(engine).Tail).GapCount;

    /// <summary>The run of the server that had the row at the tail's position when it was last checked.</summary>
    internal static string? StoodOn(this JournalEngine engine) => StoodOnOf(RewindDetectorOf(FeedsOf(engine).Tail));

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_rewindDetector")]
    private static extern ref RewindDetector RewindDetectorOf(JournalTail tail);

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_stoodOn")]
    private static extern ref string? StoodOnOf(RewindDetector rewindDetector);

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_brokenSessions")]
    private static extern ref BrokenSessions LostOf(JournalEngine engine);

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_breaker")]
    private static extern ref CircuitBreaker OutageOf(JournalEngine engine);

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_buffer")]
    private static extern ref ReorderBuffer ReorderBufferOf(OrderedFollowers followers);

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_bytes")]
    private static extern ref long BytesOf(ReorderBuffer buffer);

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_pending")]
    private static extern ref PendingEvents? ArrivedOf(ByIdFeed feed);

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_pending")]
    private static extern ref PendingEvents? ArrivedOf(OrderedFeed feed);

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_highWaterMark")]
    private static extern ref HighWaterMark HighWaterMarkOf(JournalTail tail);

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_feeds")]
    private static extern ref FeedContext FeedsOf(JournalEngine engine);

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_followers")]
    private static extern ref FollowerIndex<IByIdFollower> FollowersOf(JournalTail tail);
}
