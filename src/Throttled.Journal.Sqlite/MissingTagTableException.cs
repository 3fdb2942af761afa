namespace Throttled.Journal.Sqlite;

/// <summary>Tags are to be read from a table that is not there.</summary>
internal sealed class MissingTagTableException(string table, Exception inner) : Exception(
    $"'TagMode' is TagTable, but there is no table {table} beside the journal; it must be there. Create it, correct 'TagTable', or set "
    + "'TagMode' to Csv where the tags stand in a column of the journal.",
    inner);
