namespace Throttled.Journal.Pages;

/// <summary>What a statement found for one of its members.</summary>
/// <param name="Page">The events, deleted ones left out; null where there are none.</param>
/// <param name="LastRow">The sequence number of the last row read, deleted or not; null where there was no row.</param>
/// <param name="MoreMayFollow">Whether the range may hold rows behind the last one.</param>
internal readonly record struct PageRead(Page<JournalEvent>? Page, long? LastRow, bool MoreMayFollow);
