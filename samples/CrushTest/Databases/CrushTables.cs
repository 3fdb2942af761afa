using CrushTest.Settings;
using Throttled.Journal;

namespace CrushTest.Databases;

/// <summary>The tables of a crush test: its own, so that no size disturbs another and no journal of yours is touched.</summary>
internal static class CrushTables
{
    internal static JournalTables Of(CrushSettings settings) =>
        JournalTables.Default with { JournalTable = $"crush_{settings.Size}", TagTable = $"crush_{settings.Size}_tags" };
}
