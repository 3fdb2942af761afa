using Throttled.Projections.Merging;

namespace Throttled.Projections.Databases;

/// <summary>
/// Merges rows in SQL Server: first an update of the keys that exist, then an insert of the others. MERGE is not used: two of them can insert one key
/// (docs/decisions/0039).
/// </summary>
internal static class SqlServerMerge
{
    // HOLDLOCK also locks the places of missing keys, so no other transaction can insert one before the second statement. UPDLOCK lets only one
    // transaction have such a lock: https://learn.microsoft.com/sql/relational-databases/sql-server-transaction-locking-and-row-versioning-guide
    private const string Locked = "WITH (UPDLOCK, HOLDLOCK)";

    // The table is looked up row by row, in the order of the JSON. That is the order in which all transactions lock keys. Without the hints, the server may
    // read the whole table, and wait for rows that are not written here: https://learn.microsoft.com/sql/t-sql/queries/hints-transact-sql-query
    internal const string RowByRow = "OPTION (LOOP JOIN, FORCE ORDER, MAXDOP 1)";

    // Two rows of the call whose keys the collation treats as equal would both match one row of the table. The server would take one of them, and the
    // other would be lost. The counts are of the statement itself, not of a trigger: https://learn.microsoft.com/sql/t-sql/functions/rowcount-transact-sql
    private const string Checked =
        $" IF @updated + @@ROWCOUNT < (SELECT COUNT_BIG(*) FROM OPENJSON(@{SqlServerReadModelDialect.RowsParameter})) THROW 50001, N'Two rows of a call have different keys that the table "
        + "takes for one, because of its collation or the precision of its times. Give the key column a binary collation, such as Latin1_General_100_BIN2, or call Cast.', 1";

    // An error then ends both statements and the transaction. The setting ends with the command, because a command with parameters is a procedure.
    private const string Atomic = "SET XACT_ABORT ON;";

    internal static MergeStatements Of(string table, IReadOnlyList<MergeColumn> columns)
    {
        List<MergeColumn> keys = [.. columns.Where(column => column.Rule == MergeRule.Key)];
        var matches = string.Join(" AND ", keys.Select(Matches));
        var changes = MergeText.Changes(columns, New);
        var values = string.Join(", ", columns.Select(New));
        var insert = $"INSERT INTO {table} ({MergeText.Names(columns)}) SELECT {values} FROM {Rows(columns)} "
            + $"WHERE NOT EXISTS (SELECT 1 FROM {table} AS existing {Locked} WHERE {matches}) {RowByRow}";
        return new(
            changes.Length == 0
                ? $"{Atomic} {insert}"
                : $"{Atomic} UPDATE existing SET {changes} FROM {Rows(columns)} JOIN {table} AS existing {Locked} ON {matches} {RowByRow}; "
                    + $"DECLARE @updated int = @@ROWCOUNT; {insert};{Checked}",
            $"DELETE existing FROM {Rows(keys)} JOIN {table} AS existing ON {matches} {RowByRow}");
    }

    private static string Rows(IEnumerable<MergeColumn> columns) =>
        SqlServerReadModelDialect.FromJson(columns.Select(column => (MergeText.Quote(column.Name), TypeOf(column))), "change");

    // Blanks at the end of a text and zeros at the end of bytes do not count in SQL Server's comparisons. A key that differs in them is another one, so it
    // is inserted, and the unique index refuses it (error 2627). The plain comparison is for the look-up in the index:
    // https://learn.microsoft.com/sql/t-sql/language-elements/string-comparison-assignment
    private static string Matches(MergeColumn key)
    {
        var (existing, value) = ($"existing.{MergeText.Quote(key.Name)}", Value(key));
        var isPadded = key.Type.Clr == typeof(string) || key.Type.Clr == typeof(byte[]);
        return isPadded ? $"{existing} = {value} AND DATALENGTH({existing}) = DATALENGTH({value})" : $"{existing} = {value}";
    }

    private static string New(MergeColumn column) => MergeText.New(column, Value(column));

    private static string Value(MergeColumn column)
    {
        var value = $"change.{MergeText.Quote(column.Name)}";
        if (column.Type.Clr == typeof(string) && column.Rule is MergeRule.Key or MergeRule.SetUnlessNull)
            value = Uncollated(value, column.Rule == MergeRule.Key);
        return column.SqlServerCast is { } type ? $"CONVERT({type}, {value})" : value;
    }

    // A text from JSON has the database's collation, which cannot be compared with that of a column (error 468). A text that is converted from bytes takes
    // the column's: https://learn.microsoft.com/sql/t-sql/statements/collation-precedence-transact-sql
    private static string Uncollated(string text, bool isKey) =>
        isKey ? $"CONVERT(nvarchar(4000), CONVERT(varbinary(8000), {text}))" : $"CONVERT(nvarchar(max), CONVERT(varbinary(max), {text}))";

    // No decimal of SQL Server has all values of .NET's. So one with a type of its own is converted from its text.
    private static string TypeOf(MergeColumn column) => column.SqlServerCast is not null && column.Type.Clr == typeof(decimal) ? "nvarchar(4000)"
        : column.Rule == MergeRule.Key ? column.Type.SqlServerKey
        : column.Type.SqlServer;
}
