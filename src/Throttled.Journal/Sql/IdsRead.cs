using Throttled.Journal.Pages;

namespace Throttled.Journal.Sql;

/// <summary>What a statement found of the persistence ids.</summary>
/// <param name="Page">The ids that have events; null where there are none.</param>
/// <param name="Last">The last id that was read.</param>
/// <param name="MoreMayFollow">Whether there may be ids behind it.</param>
internal readonly record struct IdsRead(Page<string>? Page, string? Last, bool MoreMayFollow);
