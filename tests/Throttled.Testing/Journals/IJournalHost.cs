using Throttled.Journal;

namespace Throttled.Testing;

/// <summary>A database of one kind, in which a test makes the journal that it needs.</summary>
public interface IJournalHost
{
    /// <summary>An empty journal of its own.</summary>
    /// <param name="tables">Its layout; the default where null.</param>
    Task<JournalUnderTest> NewJournalAsync(JournalTables? tables = null);

    /// <summary>A journal of which nothing is there yet, perhaps not even its database.</summary>
    /// <param name="tables">The layout that it will have.</param>
    Task<JournalUnderTest> NewAbsentJournalAsync(JournalTables tables);
}
