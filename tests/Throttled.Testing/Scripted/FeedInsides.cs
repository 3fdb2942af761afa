using System.Runtime.CompilerServices;
using Throttled.Journal.Queries;
using Throttled.Journal.Rows;

namespace Throttled.Testing.Scripted;

/// <summary>The memory of a feed and its reader.</summary>
internal static class FeedInsides<T>
    where T : class
{
    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_held")]
    internal static extern ref Page<T>? HeldOf(JournalFeed<T> feed);

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_cursor")]
    internal static extern ref PageCursor<T> CursorOf(FeedEnumerator<T> items);

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_page")]
    internal static extern ref Page<T>? PageOf(ref PageCursor<T> cursor);
}
