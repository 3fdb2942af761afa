using System.Data;
using System.Data.Common;
using Throttled.Projections.Merging;

namespace Throttled.Projections.Databases;

/// <summary>SQLite 3.35 or later, without a reference to its driver. Times are texts in UTC that compare correctly as text.</summary>
internal sealed class SqliteReadModelDialect : ReadModelDialect
{
    // How long a statement waits inside SQLite for another process's transaction. After that the driver retries with pauses of
    // 150 ms, up to its command timeout: https://learn.microsoft.com/dotnet/standard/data/sqlite/database-errors
    private const int BusyMilliseconds = 5000;

    // https://www.sqlite.org/rescode.html
    private const int Error = 1;
    private const int Busy = 5;
    private const int Locked = 6;
    private const int NoMemory = 7;
    private const int InputOutput = 10;
    private const int Full = 13;
    private const int CannotOpen = 14;
    private const int Protocol = 15;
    private const int SchemaChanged = 17;

    internal override string Now => "strftime('%Y-%m-%dT%H:%M:%fZ', 'now')";

    // unixepoch with fractions needs a newer SQLite than the rest: https://www.sqlite.org/lang_datefunc.html
    internal override string Epoch => "((julianday('now') - 2440587.5) * 86400.0)";

    internal override string Later(string seconds) => $"strftime('%Y-%m-%dT%H:%M:%fZ', 'now', printf('%.3f seconds', {seconds}))";

    internal override string Greatest(string left, string right) => $"max({left}, {right})";

    // ORDER BY in an aggregate needs a newer SQLite than the rest. Without it, group_concat takes the rows in the query's order, which is the right
    // one: https://www.sqlite.org/lang_aggfunc.html#group_concat
    internal override string Joined(string text, string order) => $"group_concat({text}, ',')";

    // With this level the driver begins the transaction without the write lock:
    // https://learn.microsoft.com/dotnet/standard/data/sqlite/transactions#deferred-transactions
    internal override IsolationLevel Snapshot => IsolationLevel.ReadUncommitted;

    // If connections share a cache, the driver really reads uncommitted rows at this level:
    // https://www.sqlite.org/pragma.html#pragma_read_uncommitted
    internal override string SnapshotSetUp => "PRAGMA read_uncommitted = 0";

    // BEGIN IMMEDIATE. A transaction that begins by reading may be unable to write later, no matter how long it waits.
    internal override IsolationLevel Writing => IsolationLevel.Serializable;

    internal override string SetUp(bool isReading) => FormattableString.Invariant($"PRAGMA busy_timeout = {BusyMilliseconds}");

    internal override bool CommitHidesAbort => false;

    // https://learn.microsoft.com/dotnet/standard/data/sqlite/database-errors
    internal override bool EndsLongStatements => false;

    // There is no server, so there is no round trip to save.
    internal override bool HasArrays => false;

    internal override string Rows(SqlRows rows) =>
        $"(SELECT {string.Join(", ", rows.Columns.Select(column => $"@{column.Name} AS {column.Name}"))}) AS r";

    internal override MergeStatements Merge(string table, IReadOnlyList<MergeColumn> columns)
    {
        foreach (var column in columns)
            Check(column);
        var keys = columns.Where(column => column.Rule == MergeRule.Key);
        return new(
            $"{MergeText.Insert(table, columns)} VALUES ({string.Join(", ", columns.Select((column, i) => MergeText.New(column, MergeParameter(i))))}) {MergeText.OnConflict(columns)}",
            $"DELETE FROM {table} WHERE {string.Join(" AND ", keys.Select((key, i) => $"{MergeText.Quote(key.Name)} = {MergeParameter(i)}"))}");
    }

    internal override string MergeParameter(int column) => FormattableString.Invariant($"$c{column}");

    // What the driver stores. A decimal, a Guid or a time is text; another type would turn the text of a decimal into a floating-point number:
    // https://www.sqlite.org/datatype3.html#determination_of_column_affinity
    private protected override string TypeOf(MergeColumn column) => Type.GetTypeCode(column.Type.Clr) switch
    {
        TypeCode.Int64 or TypeCode.Int32 or TypeCode.Int16 or TypeCode.Boolean => "INTEGER",
        TypeCode.Double or TypeCode.Single => "REAL",
        _ => column.Type.Clr == typeof(byte[]) ? "BLOB" : "TEXT",
    };

    internal override TableTypes Types { get; } = new(
        Ticks: "INTEGER", Time: "TEXT", Flag: "INTEGER", Bytes: "BLOB", Number: "REAL", Identity: "INTEGER PRIMARY KEY AUTOINCREMENT", Often: "");

    internal override IEnumerable<string> CreateView(string name, string select) => [$"DROP VIEW IF EXISTS {name}", $"CREATE VIEW {name} AS {select}"];

    internal override string AddColumn(string table, string column) => $"ALTER TABLE {table} ADD COLUMN {column}";

    internal override string CountTables(string table, IEnumerable<string> names) =>
        $"SELECT count(*) FROM sqlite_master WHERE name IN ({string.Join(", ", names.Select(name => $"'{name}'"))})";

    internal override bool? IsTransient(DbException error) => CodeOf(error) is not { } code
        ? null
        : code is Busy or Locked or NoMemory or InputOutput or Full or CannotOpen or Protocol or SchemaChanged;

    internal override bool IsOfStatement(DbException error) => CodeOf(error) == Error;

    // The driver does not set ErrorCode; the primary code is in its own property:
    // https://learn.microsoft.com/dotnet/api/microsoft.data.sqlite.sqliteexception.sqliteerrorcode
    private static int? CodeOf(DbException error) => error.GetType().GetProperty("SqliteErrorCode")?.GetValue(error) as int?;

    // The driver stores decimals as text, so none is rounded. SQLite would add them as floating-point numbers, and compare them as text.
    private static void Check(MergeColumn column)
    {
        if (column.Type.Clr == typeof(decimal) && column.Rule is MergeRule.Add or MergeRule.Max or MergeRule.Min)
        {
            throw new InvalidOperationException(
                $"The column '{column.Name}' is a decimal with {column.Rule}; SQLite has no exact decimals. Give a long in the smallest unit, such as cents, or a double.");
        }
    }
}
