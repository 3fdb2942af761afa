using Throttled.Journal.Database;

namespace Throttled.Journal.Sqlite;

/// <summary>The index that reading by tag needs.</summary>
internal sealed class SqliteTagIndex(JournalTables tables)
{
    // An index that leaves rows out serves no query that does not say which. The columns behind those that an index names are
    // listed too: they end in the table's key, and order its rows just as well.
    internal const string Find =
        """
        SELECT 1 FROM pragma_index_list(?1) AS each
        WHERE each.partial = 0
            AND EXISTS (SELECT 1 FROM pragma_index_xinfo(each.name) WHERE seqno = 0 AND name = ?2 COLLATE NOCASE)
            AND EXISTS (SELECT 1 FROM pragma_index_xinfo(each.name) WHERE seqno = 1 AND name = ?3 COLLATE NOCASE)
        """;

    /// <summary>Why reading by tag will be slow; null where it will not.</summary>
    internal string? Warning(SqliteSession session)
    {
        if (tables.TagMode != TagMode.TagTable)
            return null;
        var find = session.Statement(Find).Bind(1, tables.TagTable).Bind(2, tables.TagColumn).Bind(3, tables.TagOrderingColumn);
        return find.First(static _ => true)
            ? null
            : ProbeResult.NoTagIndex(tables, $"\"{tables.TagTable}\"", new SqliteSchema(tables).CreateTagIndex());
    }
}
