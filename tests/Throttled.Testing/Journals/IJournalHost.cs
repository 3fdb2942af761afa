namespace Throttled.Testing;

/// <summary>A database of one kind, in which a test creates the journals that it needs.</summary>
public interface IJournalHost
{
    /// <summary>Creates an empty journal.</summary>
    /// <param name="tables">The layout; null for the default.</param>
    Task<JournalUnderTest> NewJournalAsync(JournalTables? tables = null);

    /// <summary>A journal that does not exist yet, perhaps not even its database.</summary>
    /// <param name="tables">The layout that the journal will have.</param>
    Task<JournalUnderTest> NewAbsentJournalAsync(JournalTables tables);
}
