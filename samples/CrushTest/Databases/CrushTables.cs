using CrushTest.Settings;
using Throttled.Journal;

namespace CrushTest.Databases;

/// <summary>The tables of a crush test: its own, so that no size disturbs another and no journal of yours is touched.</summary>
internal static class CrushTables
{
    internal static JournalTables Of(CrushPlace place) =>
        JournalTables.Default with { JournalTable = $"crush_{place.Name}", TagTable = $"crush_{place.Name}_tags" };
}
