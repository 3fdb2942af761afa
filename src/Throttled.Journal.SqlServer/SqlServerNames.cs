namespace Throttled.Journal.SqlServer;

/// <summary>The limits of SQL Server's names: https://learn.microsoft.com/sql/relational-databases/databases/database-identifiers</summary>
internal static class SqlServerNames
{
    private const int MostCharacters = 128;
    private const string IndexSuffix = "_tag_ordering_idx";

    /// <exception cref="ArgumentException">A name is longer than the server allows.</exception>
    internal static void ThrowIfTooLong(JournalTables tables)
    {
        foreach (var (setting, name) in tables.Names())
        {
            if (name.Length > MostCharacters)
                throw new ArgumentException(FormattableString.Invariant(
                    $"'{setting}' is \"{name}\", which has {name.Length} characters; a name in SQL Server has at most {MostCharacters}. Write it as the database has it."));
        }
    }

    /// <summary>The name of the index that reading by tag needs. Two tables may have indexes of the same name.</summary>
    internal static string TagIndex(string tagTable) => tagTable[..Math.Min(tagTable.Length, MostCharacters - IndexSuffix.Length)] + IndexSuffix;
}
