using Throttled.Journal;

namespace CrushTest.Databases;

/// <summary>The tables of a crush test: its own, so that no size disturbs another and no journal of yours is touched.</summary>
internal static class CrushTables
{
    internal static JournalTables Of(int streams, int events) =>
        JournalTables.Default with { JournalTable = $"crush_{streams}x{events}", TagTable = $"crush_{streams}x{events}_tags" };
}
