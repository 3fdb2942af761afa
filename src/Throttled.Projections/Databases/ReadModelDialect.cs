using System.Data.Common;
using System.Data;
using Throttled.Projections.Merging;

namespace Throttled.Projections.Databases;

/// <summary>What differs between read model databases. No connection, no state.</summary>
internal abstract class ReadModelDialect
{
    internal abstract MergeWriter Merging { get; }
}

/// <summary>The SQL for the tables of projections, by database. No connection, no state.</summary>
internal abstract class StoreSpelling
{
    // In seconds: twice the longest 'LeaseDuration'.
    private const string LongestClaim = "7200";

    /// <summary>The database's clock in the stored format: comparable, and advancing within a transaction.</summary>
    internal abstract string Now { get; }

    /// <summary>Seconds since 1970 by the database's clock.</summary>
    internal abstract string Epoch { get; }

    /// <summary>At the end of a SELECT: locks its rows to the end of the transaction.</summary>
    internal abstract string ForUpdate { get; }

    /// <summary>
    /// At the end of a SELECT: skips rows of a table that another transaction has locked, and locks the others to the end of the transaction.
    /// </summary>
    internal abstract string ForUpdateOfFree(string table);

    /// <summary>The isolation level at which all statements of a reading transaction see the same moment.</summary>
    internal abstract IsolationLevel Snapshot { get; }

    /// <summary>The isolation level at which a writing transaction waits for others at its rows or at its start, not at its commit.</summary>
    internal abstract IsolationLevel Writing { get; }

    /// <summary>Whether a statement takes many rows as arrays; otherwise it is run for each row.</summary>
    internal abstract bool HasArrays { get; }

    /// <summary>Whether COMMIT rolls back without an error if a statement of the transaction has failed.</summary>
    internal abstract bool CommitHidesAbort { get; }

    /// <summary>Runs first on each connection; null if nothing is needed.</summary>
    internal abstract string? SetUp { get; }

    /// <summary>Runs first in a transaction that only reads; null if nothing is needed.</summary>
    internal virtual string? SnapshotSetUp => null;

    /// <summary>The clock plus some seconds; a negative number subtracts.</summary>
    internal abstract string Later(string seconds);

    /// <summary>
    /// The condition that a lease is valid. A lease that ends later than any lease can was made before the clock jumped back, and is invalid.
    /// </summary>
    internal string Holds(string until) => $"({until} > {Now} AND {until} <= {Later(LongestClaim)})";

    internal abstract string Greatest(string left, string right);

    /// <summary>The texts of a group in an order, separated by commas. Nulls are left out; the result is null if all are null.</summary>
    internal abstract string Joined(string text, string order);

    /// <summary>A table <c>r</c> with the columns and rows of <see cref="SqlRows"/>.</summary>
    internal abstract string Rows(IEnumerable<string> columns);

    /// <summary>Counts how many of the names are tables or views in the schema of <c>throttled_projection</c>. It has no parameters.</summary>
    internal abstract string CountTables(IEnumerable<string> names);

    /// <summary>The statements that create what is missing, and that replace the view by that of this release.</summary>
    internal abstract IEnumerable<string> Create();

    /// <summary>The statements that bring tables of the previous version to this version.</summary>
    internal abstract IEnumerable<string> Step(int version);

    /// <summary>
    /// Runs first in a transaction that creates tables, so that only one does so at a time; null if a writing transaction is always alone.
    /// </summary>
    internal virtual string? SchemaTurn => null;

    /// <summary>Runs before changes to tables. It limits the wait for a lock, because others wait behind it. Null if none do.</summary>
    internal virtual string? SchemaPatience => null;

    /// <summary>Whether the driver's command timeout also ends a statement that is working; otherwise it only ends a wait for a lock.</summary>
    internal abstract bool EndsLongStatements { get; }
}

/// <summary>Writes many rows at once. No state.</summary>
internal abstract class MergeWriter
{
    /// <exception cref="InvalidOperationException">The database does not support a rule for a column's type.</exception>
    internal abstract MergeStatements Spell(string table, IReadOnlyList<MergeColumn> columns);

    /// <summary>Runs a statement with the values of some rows, in their order.</summary>
    internal abstract Task RunAsync<TRow>(
        DbCommand command, IReadOnlyList<MergeColumn<TRow>> columns, TRow[] rows, CancellationToken cancellation);
}
