using BankAccounts.History;
using Throttled.Journal;

namespace BankAccounts.Databases;

/// <summary>The sample's own journals. Their table names differ from yours, so your tables are not touched.</summary>
internal static class BankTables
{
    /// <summary>The journal that the sample writes and projects.</summary>
    internal static JournalTables Own { get; } = Named("bank_journal");

    /// <summary>The journal that a replay reads. There is one for each shape, kept for the next run.</summary>
    internal static JournalTables Of(HistoryShape shape) => Named($"bank_{shape.Name}");

    private static JournalTables Named(string name) => JournalTables.Default with { JournalTable = name, TagTable = $"{name}_tags" };
}
