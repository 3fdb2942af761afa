using System.Data.Common;
using System.Data;
using Throttled.Projections.Merging;
using Throttled.Projections.Tables;

namespace Throttled.Projections.Databases;

internal sealed class SqliteReadModelDialect : ReadModelDialect
{
    internal override MergeWriter Merging => RowMerge.Instance;
}

/// <summary>SQLite 3.35 or later. Times are texts in UTC that compare correctly as text.</summary>
internal sealed class SqliteSpelling : StoreSpelling
{
    // How long a statement waits inside SQLite for another process's transaction. After that the driver retries with pauses of
    // 150 ms, up to its command timeout: https://learn.microsoft.com/dotnet/standard/data/sqlite/database-errors
    private const int BusyMilliseconds = 5000;

    internal override string Now => "strftime('%Y-%m-%dT%H:%M:%fZ', 'now')";

    // unixepoch with fractions needs a newer SQLite than the rest: https://www.sqlite.org/lang_datefunc.html
    internal override string Epoch => "((julianday('now') - 2440587.5) * 86400.0)";

    // A transaction that writes locks the whole file.
    internal override string ForUpdate => "";

    // With this level the driver begins the transaction without the write lock:
    // https://learn.microsoft.com/dotnet/standard/data/sqlite/transactions#deferred-transactions
    internal override IsolationLevel Snapshot => IsolationLevel.ReadUncommitted;

    // If connections share a cache, the driver really reads uncommitted rows at this level:
    // https://www.sqlite.org/pragma.html#pragma_read_uncommitted
    internal override string? SnapshotSetUp => "PRAGMA read_uncommitted = 0";

    // BEGIN IMMEDIATE. A transaction that begins by reading may be unable to write later, no matter how long it waits.
    internal override IsolationLevel Writing => IsolationLevel.Serializable;

    internal override bool HasArrays => false;

    internal override bool CommitHidesAbort => false;

    // https://learn.microsoft.com/dotnet/standard/data/sqlite/database-errors
    internal override bool EndsLongStatements => false;

    internal override string? SetUp => FormattableString.Invariant($"PRAGMA busy_timeout = {BusyMilliseconds}");

    internal override string ForUpdateOfFree(string table) => "";

    internal override string Later(string seconds) => $"strftime('%Y-%m-%dT%H:%M:%fZ', 'now', printf('%.3f seconds', {seconds}))";

    internal override string Greatest(string left, string right) => $"max({left}, {right})";

    // ORDER BY in an aggregate needs a newer SQLite than the rest. Without it, group_concat takes the rows in the query's order, which is the right
    // one:
    // https://www.sqlite.org/lang_aggfunc.html#group_concat
    internal override string Joined(string text, string order) => $"group_concat({text}, ',')";

    internal override string Rows(IEnumerable<string> columns) =>
        $"(SELECT {string.Join(", ", columns.Select(column => $"@{column} AS {column}"))}) AS r";

    internal override string CountTables(IEnumerable<string> names) =>
        $"SELECT count(*) FROM sqlite_master WHERE name IN ({string.Join(", ", names.Select(name => $"'{name}'"))})";

    internal override IEnumerable<string> Step(int version) => 
        Schema.Step(version, (table, column) => $"ALTER TABLE {table} ADD COLUMN {column}");

    internal override IEnumerable<string> Create() =>
    [
        .. Schema.Create(
            ticks: "INTEGER", time: "TEXT", flag: "INTEGER", bytes: "BLOB", number: "REAL",
            identity: "INTEGER PRIMARY KEY AUTOINCREMENT", often: ""),
        $"DROP VIEW IF EXISTS {Schema.Status}",
        $"CREATE VIEW {Schema.Status} AS {StatusView.Select(this)}",
    ];
}

/// <summary>SQLite: one prepared statement, run for each row. There is no server, so there is no round trip to save.</summary>
internal sealed class RowMerge : MergeWriter
{
    internal static RowMerge Instance { get; } = new();

    internal override MergeStatements Spell(string table, IReadOnlyList<MergeColumn> columns)
    {
        foreach (var column in columns)
            Check(column);
        var keys = columns.Where(column => column.Rule == MergeRule.Key);
        return new(
            $"{MergeText.Insert(table, columns)} VALUES ({string.Join(", ", columns.Select((column, i) => MergeText.New(column, Name(i))))}) {MergeText.OnConflict(columns)}",
            $"DELETE FROM {table} WHERE {string.Join(" AND ", keys.Select((key, i) => $"{MergeText.Quote(key.Name)} = {Name(i)}"))}");
    }

    // The driver has no asynchronous calls: https://learn.microsoft.com/dotnet/standard/data/sqlite/async
    internal override Task RunAsync<TRow>(
        DbCommand command, IReadOnlyList<MergeColumn<TRow>> columns, TRow[] rows, CancellationToken cancellation)
    {
        var parameters = columns.Select((_, i) => Add(command, Name(i))).ToArray();
        command.Prepare();
        foreach (var row in rows)
        {
            cancellation.ThrowIfCancellationRequested();
            for (var i = 0; i < parameters.Length; i++)
                parameters[i].Value = columns[i].Read(row) ?? DBNull.Value;
            command.ExecuteNonQuery();
        }

        return Task.CompletedTask;
    }

    // The driver stores decimals as text, so none is rounded. SQLite would add them as floating-point numbers, and compare them as text.
    private static void Check(MergeColumn column)
    {
        if (column.Type.Clr == typeof(decimal) && column.Rule is MergeRule.Add or MergeRule.Max or MergeRule.Min)
        {
            throw new InvalidOperationException(
                $"The column '{column.Name}' is a decimal with {column.Rule}; SQLite has no exact decimals. Give a long in the smallest unit, such as cents, or a double.");
        }
    }

    private static DbParameter Add(DbCommand command, string name)
    {
        var parameter = command.CreateParameter();
        parameter.ParameterName = name;
        command.Parameters.Add(parameter);
        return parameter;
    }

    private static string Name(int i) => FormattableString.Invariant($"$c{i}");
}

/// <summary>What SQLite's errors mean, without a reference to its driver. Codes and causes: https://www.sqlite.org/rescode.html</summary>
internal static class SqliteFault
{
    /// <summary>A statement cannot be prepared: no such table or column, or a syntax error.</summary>
    internal const int Statement = 1;

    private const int Busy = 5;
    private const int Locked = 6;
    private const int NoMemory = 7;
    private const int InputOutput = 10;
    private const int Full = 13;
    private const int CannotOpen = 14;
    private const int Protocol = 15;
    private const int SchemaChanged = 17;

    // The driver does not set ErrorCode; the code is in its own property:
    // https://learn.microsoft.com/dotnet/api/microsoft.data.sqlite.sqliteexception.sqliteerrorcode
    /// <summary>The primary code; null if the error is not SQLite's.</summary>
    internal static int? CodeOf(DbException error) => error.GetType().GetProperty("SqliteErrorCode")?.GetValue(error) as int?;

    internal static bool IsTransient(int code) =>
        code is Busy or Locked or NoMemory or InputOutput or Full or CannotOpen or Protocol or SchemaChanged;
}
