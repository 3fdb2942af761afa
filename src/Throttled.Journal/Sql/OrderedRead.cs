using Throttled.Journal.Pages;

namespace Throttled.Journal.Sql;

/// <summary>What a statement found for one of its members.</summary>
/// <param name="Page">The events; null where there are none.</param>
/// <param name="Through">The ordering up to which the member has read now, whatever rows there were.</param>
/// <param name="MoreMayFollow">Whether there may be more events up to where the member may read.</param>
internal readonly record struct OrderedRead(Page<JournalEvent>? Page, long Through, bool MoreMayFollow)
{
    /// <summary>Whether it ended because the next ordering is missing.</summary>
    internal bool StoppedAtGap { get; init; }
}
