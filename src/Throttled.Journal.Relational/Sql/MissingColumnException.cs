using System.Text.RegularExpressions;

namespace Throttled.Journal.Relational;

/// <summary>A configured column does not exist in its table. The database's error names the column; this error names the setting.</summary>
internal sealed class MissingColumnException : Exception
{
    private MissingColumnException(string message, Exception inner)
        : base(message, inner)
    {
    }

    /// <returns>Null if the database's message (<paramref name="said"/>) names none of the columns that are read.</returns>
    internal static MissingColumnException? OfJournal(JournalTables tables, SqlDialect dialect, string said, Exception inner)
    {
        var table = dialect.Table(tables.Schema, tables.JournalTable);
        return Named(said, ReadColumns(tables)) switch
        {
            null => null,
            { Setting: nameof(tables.TagsColumn) } tags => new(
                $"'TagMode' is Csv and 'TagsColumn' is {tags.Column}, which is not a column of {table}; it must be the column with the tags. "
                    + "Correct 'TagsColumn', or set 'TagMode' to TagTable if the tags are in a table of their own.",
                inner),
            { } column => Of(column, table, inner),
        };
    }

    /// <inheritdoc cref="OfJournal"/>
    internal static MissingColumnException? OfTagTable(JournalTables tables, SqlDialect dialect, string said, Exception inner)
    {
        ColumnSetting[] read = [new(nameof(tables.TagColumn), tables.TagColumn), new(nameof(tables.TagOrderingColumn), tables.TagOrderingColumn)];
        return Named(said, read) is { } column ? Of(column, dialect.Table(tables.Schema, tables.TagTable), inner) : null;
    }

    private static MissingColumnException Of(ColumnSetting column, string table, Exception inner) => new(
        $"'{column.Setting}' is {column.Column}, which is not a column of {table}; it must be one. Correct '{column.Setting}'.", inner);

    /// <summary>The columns of the journal table that a reader reads, each with its setting.</summary>
    internal static IReadOnlyList<ColumnSetting> ReadColumns(JournalTables tables)
    {
        List<ColumnSetting> read =
        [
            new(nameof(tables.OrderingColumn), tables.OrderingColumn),
            new(nameof(tables.DeletedColumn), tables.DeletedColumn),
            new(nameof(tables.PersistenceIdColumn), tables.PersistenceIdColumn),
            new(nameof(tables.SequenceNumberColumn), tables.SequenceNumberColumn),
            new(nameof(tables.TimestampColumn), tables.TimestampColumn),
            new(nameof(tables.PayloadColumn), tables.PayloadColumn),
            new(nameof(tables.SerializerIdColumn), tables.SerializerIdColumn),
            new(nameof(tables.ManifestColumn), tables.ManifestColumn),
        ];
        if (tables.TagMode == TagMode.Csv)
            read.Add(new(nameof(tables.TagsColumn), tables.TagsColumn));
        return read;
    }

    // Search for the quoted column first. The text may be in another language with other quotes, so then search for the column as a word.
    private static ColumnSetting? Named(string said, IReadOnlyList<ColumnSetting> columns) =>
        First(columns, column => said.IndexOf($"\"{column}\"", StringComparison.Ordinal)) ?? First(columns, column => WordIn(said, column));

    private static int WordIn(string said, string column) =>
        Regex.Match(said, $@"(?<!\w){Regex.Escape(column)}(?!\w)", RegexOptions.CultureInvariant) is { Success: true } match ? match.Index : -1;

    private static ColumnSetting? First(IEnumerable<ColumnSetting> columns, Func<string, int> placeOf) => columns
        .Select(column => (Column: column, Place: placeOf(column.Column)))
        .Where(found => found.Place >= 0)
        .OrderBy(found => found.Place)
        .ThenByDescending(found => found.Column.Column.Length)
        .FirstOrDefault().Column;
}

/// <summary>A column, and the setting that names it.</summary>
internal sealed record ColumnSetting(string Setting, string Column);

/// <summary>The tag table does not exist.</summary>
/// <param name="table">The table as the database quotes it.</param>
/// <param name="inner">The driver's error.</param>
internal sealed class MissingTagTableException(string table, Exception inner) : Exception(
    $"'TagMode' is TagTable, but there is no table {table} beside the journal; it must be there. Create it, correct 'TagTable', or set "
    + "'TagMode' to Csv if the tags are in a column of the journal.",
    inner);
