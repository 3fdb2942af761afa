using Throttled.Journal.Sql;

namespace Throttled.Journal.Sqlite;

/// <summary>The texts of the statements that the reader runs.</summary>
internal sealed class SqliteStatements
{
    internal SqliteStatements(JournalTables tables)
    {
        var dialect = new SqliteDialect();
        var common = new JournalStatements(dialect, tables);
        Page = common.Page("?1", "?2", "?3", "?4");
        Row = $"SELECT {common.RowColumns} FROM {common.Journal} WHERE {common.Ordering} = ?1";
        LastKey = common.LastKey;
        KeysAbove = common.KeysAbove(inclusive: false);
        KeysFrom = common.KeysAbove(inclusive: true);
        TagsOfRow = $"SELECT {common.Tag} FROM {common.TagTable} WHERE {common.TagOrdering} = ?1";
        FirstTagged = common.FirstTagged;
        JournalColumns = $"SELECT {common.RowColumns} FROM {common.Journal} {dialect.Limit("0")}";
        TagColumns = $"SELECT {common.Tag}, {common.TagOrdering} FROM {common.TagTable} {dialect.Limit("0")}";
    }

    /// <summary>Parameters: persistence id, first and last sequence number, how many.</summary>
    internal string Page { get; }

    /// <summary>Parameter: the ordering.</summary>
    internal string Row { get; }

    internal string LastKey { get; }

    /// <summary>Parameters: position, how many.</summary>
    internal string KeysAbove { get; }

    /// <summary>Parameters: position, how many.</summary>
    internal string KeysFrom { get; }

    /// <summary>Parameter: the ordering.</summary>
    internal string TagsOfRow { get; }

    internal string FirstTagged { get; }

    /// <summary>Fails where the journal table or one of its columns is not there.</summary>
    internal string JournalColumns { get; }

    /// <summary>Fails where the tag table or one of its columns is not there.</summary>
    internal string TagColumns { get; }

    /// <summary>The text that the journal table was created with. Parameter: its name, in any case.</summary>
    internal static string CreateText => "SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ?1 COLLATE NOCASE";

    internal static string JournalMode => "PRAGMA journal_mode";
}
