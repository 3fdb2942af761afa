using System.Data;
using System.Data.Common;
using Throttled.Projections.Merging;

namespace Throttled.Projections.Databases;

/// <summary>How a read model database spells its SQL, and what its errors mean. It runs nothing and has no state.</summary>
internal abstract class ReadModelDialect
{
    // In seconds: twice the longest 'LeaseDuration'.
    private const string LongestClaim = "7200";

    internal static ReadModelDialect PostgreSql { get; } = new PostgreSqlReadModelDialect();

    internal static ReadModelDialect Sqlite { get; } = new SqliteReadModelDialect();

    internal static IReadOnlyList<ReadModelDialect> All { get; } = [PostgreSql, Sqlite];

    /// <summary>The database's clock in the stored format: comparable, and advancing within a transaction.</summary>
    internal abstract string Now { get; }

    internal abstract string Epoch { get; }

    internal abstract string Later(string seconds);

    /// <summary>Whether a lease is valid. One that ends later than any can was made before the clock jumped back, and is invalid.</summary>
    internal string Holds(string until) => $"({until} > {Now} AND {until} <= {Later(LongestClaim)})";

    internal abstract string Greatest(string left, string right);

    /// <summary>The texts of a group in an order, separated by commas. Nulls are left out; the result is null if all are null.</summary>
    internal abstract string Joined(string text, string order);

    internal abstract string ForUpdate { get; }

    /// <summary>At the end of a SELECT: locks the rows of a table, except those that another transaction has locked.</summary>
    internal abstract string ForUpdateOfFree(string table);

    /// <summary>The isolation level at which all statements of a reading transaction see the same moment.</summary>
    internal abstract IsolationLevel Snapshot { get; }

    internal virtual string? SnapshotSetUp => null;

    /// <summary>The isolation level at which a writing transaction waits for others at its rows or at its start, not at its commit.</summary>
    internal abstract IsolationLevel Writing { get; }

    internal virtual string? SetUp => null;

    /// <summary>Whether COMMIT rolls back without an error if a statement of the transaction has failed.</summary>
    internal abstract bool CommitHidesAbort { get; }

    /// <summary>Whether the driver's command timeout also ends a statement that is working; otherwise it only ends a wait for a lock.</summary>
    internal abstract bool EndsLongStatements { get; }

    /// <summary>Whether a statement takes many rows as arrays; otherwise it is run for each row.</summary>
    internal abstract bool HasArrays { get; }

    /// <summary>A table <c>r</c> with the columns and rows of <see cref="SqlRows"/>.</summary>
    internal abstract string Rows(IEnumerable<string> columns);

    /// <summary>The statements that merge rows into a table. They throw <see cref="InvalidOperationException"/> for a rule that the database does not support.</summary>
    internal abstract MergeStatements Merge(string table, IReadOnlyList<MergeColumn> columns);

    internal abstract string MergeParameter(int column);

    /// <summary>Creates a table for rows that are merged into it, if it does not exist. Columns that are not keys allow null.</summary>
    internal string CreateTable(string table, IReadOnlyList<MergeColumn> columns) =>
        $"CREATE TABLE IF NOT EXISTS {table} ({string.Join(", ", columns.Select(Declared))}, PRIMARY KEY ({MergeText.Keys(columns)}))";

    /// <summary>The type of a column in a table that is created here.</summary>
    private protected abstract string TypeOf(MergeColumn column);

    private string Declared(MergeColumn column) => $"{MergeText.Quote(column.Name)} {TypeOf(column)}{(column.Rule == MergeRule.Key ? " NOT NULL" : "")}";

    internal virtual Array MergeValues(Array values) => values;

    internal abstract TableTypes Types { get; }

    internal abstract IEnumerable<string> CreateView(string name, string select);

    internal abstract string AddColumn(string table, string column);

    internal virtual string? GrantRead(string table) => null;

    /// <summary>Counts how many of the names are tables or views in the schema of a table.</summary>
    internal abstract string CountTables(string table, IEnumerable<string> names);

    /// <summary>Runs first in a transaction that creates tables, so only one does so at a time; null if a writing transaction is always alone.</summary>
    internal virtual string? InstallLock(string name) => null;

    /// <summary>Runs before changes to tables. It limits the wait for a lock, because others wait behind it. Null if none do.</summary>
    internal virtual string? InstallTimeout => null;

    /// <summary>Whether a retry may cure an error; null if it is not an error of this database.</summary>
    internal abstract bool? IsTransient(DbException error);

    /// <summary>Whether an error may come from this database. False only if it certainly comes from something else.</summary>
    internal virtual bool MayHaveThrown(Exception error) => true;

    /// <summary>Whether an error of this database is in the statement itself: a missing table, column or right, or a syntax error.</summary>
    internal abstract bool IsOfStatement(DbException error);
}

/// <summary><c>Ticks</c> is a 64-bit integer, <c>Identity</c> an ascending key that the database generates. <c>Often</c> ends a table whose rows are updated all the time.</summary>
internal sealed record TableTypes(string Ticks, string Time, string Flag, string Bytes, string Number, string Identity, string Often);
