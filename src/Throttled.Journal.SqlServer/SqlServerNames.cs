namespace Throttled.Journal.SqlServer;

/// <summary>What SQL Server can call things: https://learn.microsoft.com/sql/relational-databases/databases/database-identifiers</summary>
internal static class SqlServerNames
{
    private const int MostCharacters = 128;
    private const string IndexSuffix = "_tag_ordering_idx";

    /// <exception cref="ArgumentException">A name is longer than any that the server can have.</exception>
    internal static void ThrowIfTooLong(JournalTables tables)
    {
        foreach (var (setting, name) in tables.Names())
        {
            if (name.Length > MostCharacters)
                throw new ArgumentException(FormattableString.Invariant(
                    $"'{setting}' is \"{name}\", which has {name.Length} characters; a name in SQL Server has at most {MostCharacters}. Write it as the database has it."));
        }
    }

    /// <summary>What the index is called that reading by tag needs. Names of indexes are their table's own.</summary>
    internal static string TagIndex(string tagTable) =>
        tagTable[..Math.Min(tagTable.Length, MostCharacters - IndexSuffix.Length)] + IndexSuffix;
}
