using BankAccounts.History;
using Throttled.Journal;

namespace BankAccounts.Databases;

/// <summary>The journals of the sample: its own tables, so that none of yours is touched.</summary>
internal static class BankTables
{
    /// <summary>The one that is written and projected.</summary>
    internal static JournalTables Own { get; } = Named("bank_journal");

    /// <summary>The one that a replay reads: one for each shape, kept for the next run.</summary>
    internal static JournalTables Of(HistoryShape shape) => Named($"bank_{shape.Name}");

    private static JournalTables Named(string name) => JournalTables.Default with { JournalTable = name, TagTable = $"{name}_tags" };
}
