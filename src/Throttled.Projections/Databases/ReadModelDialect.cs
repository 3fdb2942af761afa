using System.Data.Common;
using System.Data;
using Throttled.Projections.Merging;

namespace Throttled.Projections.Databases;

/// <summary>How a read model's database spells and does things. No connection, no state.</summary>
internal abstract class ReadModelDialect
{
    /// <summary>The database's name as OpenTelemetry spells it: <c>sqlite</c>, <c>postgresql</c>.</summary>
    internal abstract string System { get; }

    /// <summary>How merged rows are written.</summary>
    internal abstract MergeWriter Merging { get; }
}

/// <summary>How a read model's database spells what the tables of projections need. No connection, no state.</summary>
internal abstract class StoreSpelling
{
    // In seconds: twice the longest 'LeaseDuration'.
    private const string LongestClaim = "7200";

    /// <summary>The database's clock, as it is stored: comparable, and going on within a transaction.</summary>
    internal abstract string Now { get; }

    /// <summary>Seconds since 1970 by the database's clock.</summary>
    internal abstract string Epoch { get; }

    /// <summary>At the end of a SELECT: holds its rows to the end of the transaction.</summary>
    internal abstract string ForUpdate { get; }

    /// <summary>At the end of a SELECT: leaves out the rows of a table that another holds, and holds the others to the end of the transaction.</summary>
    internal abstract string ForUpdateOfFree(string table);

    /// <summary>In which all statements of a transaction that only reads see the same moment.</summary>
    internal abstract IsolationLevel Snapshot { get; }

    /// <summary>In which a transaction that writes waits for others at its rows, or at its start, and not at its end.</summary>
    internal abstract IsolationLevel Writing { get; }

    /// <summary>Whether a statement takes many rows as arrays; otherwise it is run for each.</summary>
    internal abstract bool HasArrays { get; }

    /// <summary>Whether COMMIT of a transaction in which a statement failed rolls back without an error.</summary>
    internal abstract bool CommitHidesAbort { get; }

    /// <summary>Run on each connection first; null where nothing is.</summary>
    internal abstract string? SetUp { get; }

    /// <summary>Run first in a transaction that only reads; null where nothing is.</summary>
    internal virtual string? SnapshotSetUp => null;

    /// <summary>The clock, some seconds on; negative for back.</summary>
    internal abstract string Later(string seconds);

    /// <summary>A condition in which a claim holds. One that ends later than claims can was made before the clock jumped back.</summary>
    internal string Holds(string until) => $"({until} > {Now} AND {until} <= {Later(LongestClaim)})";

    /// <summary>The larger of two.</summary>
    internal abstract string Greatest(string left, string right);

    /// <summary>The texts of a group in an order, with commas between; those that are null are left out, and it is null where all are.</summary>
    internal abstract string Joined(string text, string order);

    /// <summary>A condition in which a null is no difference.</summary>
    internal abstract string Same(string left, string right);

    /// <summary>A table <c>r</c> of what <see cref="SqlRows"/> holds, with its columns.</summary>
    internal abstract string Rows(IEnumerable<string> columns);

    /// <summary>How many of the names are tables or views where <c>throttled_projection</c> is. Parameters: none.</summary>
    internal abstract string CountTables(IEnumerable<string> names);

    /// <summary>Makes what is not there, statement by statement, and puts this release's view in the place of the one that is there.</summary>
    internal abstract IEnumerable<string> Create();

    /// <summary>Brings the tables of the version before to a version, statement by statement.</summary>
    internal abstract IEnumerable<string> Step(int version);

    /// <summary>Run first in a transaction that makes tables, which is alone to do so then; null where one that writes is alone anyway.</summary>
    internal virtual string? SchemaTurn => null;

    /// <summary>Run first of all that changes tables: keeps it from waiting long for a lock, because others wait behind it. Null where none does.</summary>
    internal virtual string? SchemaPatience => null;

    /// <summary>Whether the driver's time limit ends a statement that works, and not only one that waits for a lock.</summary>
    internal abstract bool EndsLongStatements { get; }
}

/// <summary>How one database takes many rows at once. No state.</summary>
internal abstract class MergeWriter
{
    /// <exception cref="InvalidOperationException">The database cannot do it.</exception>
    internal abstract MergeStatements Spell(string table, IReadOnlyList<MergeColumn> columns);

    /// <summary>Runs a statement with the values of some rows, in their order.</summary>
    internal abstract Task RunAsync<TRow>(
        DbCommand command, IReadOnlyList<MergeColumn<TRow>> columns, TRow[] rows, CancellationToken cancellation);
}
