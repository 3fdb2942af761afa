using System.Runtime.CompilerServices;
using Throttled.Journal.Ordering;
using Throttled.Journal.Pages;
using Throttled.Journal.Queries;
using Throttled.Journal.Tail;

namespace Throttled.Journal.Tests.Support;

/// <summary>What a test must see of an engine and nobody else.</summary>
internal static class EngineInsides
{
    internal static FeedParts Parts(this JournalEngine engine) => FeedsOf(engine);

    internal static ByteBudget Budget(this JournalEngine engine) => FeedsOf(engine).Budget;

    internal static int Slots(this JournalEngine engine) => FeedsOf(engine).Gate.Slots;

    internal static int Followers(this JournalEngine engine) => FollowersOf(FeedsOf(engine).Tail).Count;

    /// <summary>All queries that the tail works for.</summary>
    internal static bool HasFollowers(this JournalEngine engine) => FeedsOf(engine).Tail.HasFollowers;

    internal static JournalHead Head(this JournalEngine engine) => HeadOf(FeedsOf(engine).Tail);

    internal static int Gaps(this JournalEngine engine) => HeadOf(FeedsOf(engine).Tail).GapCount;

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_head")]
    private static extern ref JournalHead HeadOf(JournalTail tail);

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_feeds")]
    private static extern ref FeedParts FeedsOf(JournalEngine engine);

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_followers")]
    private static extern ref FollowerIndex<ByIdFeed> FollowersOf(JournalTail tail);
}
