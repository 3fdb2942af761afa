namespace Throttled.Journal.Sql;

/// <summary>
/// Tags are to be read from a table that is not there, but there is no event either: a write plugin makes its tables one after the other
/// before it writes, and this one may be next.
/// </summary>
internal sealed class AwaitedTagTableException(string table, Exception inner) : Exception("the journal beside it is empty", inner)
{
    /// <summary>The table as the database spells it.</summary>
    internal string Table => table;
}
