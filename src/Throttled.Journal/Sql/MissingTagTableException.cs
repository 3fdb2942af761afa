namespace Throttled.Journal.Sql;

/// <summary>Tags are to be read from a table that is not there.</summary>
/// <param name="table">The table as the database spells it.</param>
/// <param name="inner">The driver's error.</param>
internal sealed class MissingTagTableException(string table, Exception inner) : Exception(
    $"'TagMode' is TagTable, but there is no table {table} beside the journal; it must be there. Create it, correct 'TagTable', or set "
    + "'TagMode' to Csv where the tags stand in a column of the journal.",
    inner);
