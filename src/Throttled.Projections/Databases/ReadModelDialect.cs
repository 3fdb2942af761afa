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

    internal static ReadModelDialect SqlServer { get; } = new SqlServerReadModelDialect();

    internal static IReadOnlyList<ReadModelDialect> All { get; } = [PostgreSql, Sqlite, SqlServer];

    /// <summary>The database's clock in the stored format: comparable, and advancing within a transaction.</summary>
    internal abstract string Now { get; }

    internal abstract string Epoch { get; }

    internal abstract string Later(string seconds);

    /// <summary>Whether a lease is valid. One that ends later than any can was made before the clock jumped back, and is invalid.</summary>
    internal string Holds(string until) => $"({until} > {Now} AND {until} <= {Later(LongestClaim)})";

    internal abstract string Greatest(string left, string right);

    /// <summary>The texts of a group in an order, separated by commas. Nulls are left out; the result is null if all are null.</summary>
    internal abstract string Joined(string text, string order);

    /// <summary>The texts one after the other; none is null.</summary>
    internal virtual string Concat(params string[] texts) => string.Join(" || ", texts);

    /// <summary>A table for an aggregate over its rows. In the given order if <see cref="Joined"/> takes them as they come.</summary>
    internal virtual string InOrder(string table, string order) => $"(SELECT * FROM {table} ORDER BY {order})";

    /// <summary>The number of rows, as a 64-bit integer.</summary>
    internal virtual string Count => "count(*)";

    internal virtual string Flag(bool value) => value ? "true" : "false";

    /// <summary>At the end of a SELECT with ORDER BY.</summary>
    internal virtual string Limit(string count) => $"LIMIT {count}";

    /// <summary>Whether two texts are the same, including blanks at their ends.</summary>
    internal virtual string Same(string text, string other) => $"{text} = {other}";

    /// <summary>SQL for whether two names are one table for the database; null if it compares no more loosely than <see cref="StringComparison.OrdinalIgnoreCase"/>.</summary>
    internal virtual string? OneTable(string name, string other) => null;

    /// <summary>A text in GROUP BY, so that texts are in one group only if they are the same, including blanks at their ends.</summary>
    internal virtual string Exact(string text) => text;

    /// <summary>Returns columns of the changed rows. It is before FROM, VALUES or WHERE, and <see cref="Returning"/> at the end. One of them is empty.</summary>
    /// <param name="row">'inserted', also for an update, or 'deleted'.</param>
    /// <param name="columns">The columns.</param>
    internal virtual string Output(string row, params string[] columns) => "";

    internal virtual string Returning(params string[] columns) => $"RETURNING {string.Join(", ", columns)}";

    /// <summary>At the end of INSERT … SELECT of one row without FROM: does nothing if its key exists. A second transaction waits for the first.</summary>
    internal virtual string IfAbsent(string table, string condition, string key) => $"WHERE true ON CONFLICT ({key}) DO NOTHING";

    /// <summary>The same in a transaction that has a <see cref="NameLock"/> of the key, so it locks no other key.</summary>
    internal virtual string IfAbsentUnderLock(string table, string condition, string key) => IfAbsent(table, condition, key);

    /// <summary>Runs before <see cref="IfAbsentUnderLock"/>: locks the name <c>@name</c> until the end of the transaction. Null if the insert itself does.</summary>
    internal virtual string? NameLock => null;

    /// <summary>
    /// At the end of an UPDATE of a table: only the rows that match a row of another table. They are looked up one by one, so no others are locked.
    /// <paramref name="locks"/> is <see cref="Free"/> or empty.
    /// </summary>
    internal virtual string Matching(string table, string other, string condition, string locks = "") => $"FROM {other} WHERE {condition}";

    /// <summary>Deletes the rows for which a condition is true and whose column is among the rows, which have only this column.</summary>
    internal virtual string Delete(string table, SqlRows rows, string condition) =>
        $"DELETE FROM {table} WHERE {condition} AND {rows.Columns[0].Name} IN (SELECT r.{rows.Columns[0].Name} FROM {Rows(rows)})";

    /// <summary>At the end of a statement that begins with <see cref="Rows"/> and looks each one up in a table.</summary>
    internal virtual string RowByRow => "";

    /// <summary>The most rows that one statement merges or deletes; null for all. More could lock the whole table.</summary>
    internal virtual int? MostRows => null;

    /// <summary>The beginning of a statement that deletes at most <see cref="MostRows"/> rows.</summary>
    internal virtual string DeleteSome(string table) => $"DELETE FROM {table}";

    /// <summary>Before a statement with parameters. The result is then the number of rows, whatever the server's settings are.</summary>
    internal virtual string Counted => "";

    /// <summary>A number, or 0 if it is null. The number is computed once.</summary>
    internal virtual string OrZero(string number) => $"coalesce({number}, 0)";

    /// <summary>Bytes of <see cref="Rows"/> that are never null, but may be empty.</summary>
    internal virtual string Bytes(string column) => column;

    /// <summary>At the end of a SELECT: locks its rows. <see cref="Locking"/> is after the table. One of them is empty, also below.</summary>
    internal virtual string ForUpdate => "";

    internal virtual string Locking => "";

    /// <summary>At the end of a SELECT: locks the rows of a table, except those that another transaction has locked. <see cref="Free"/> is after the table.</summary>
    internal virtual string ForUpdateOfFree(string table) => "";

    internal virtual string Free => "";

    /// <summary>After a table that is only read: passes over rows that another transaction has locked, if the statement would wait for them.</summary>
    internal virtual string Unlocked => "";

    /// <summary>The isolation level at which all statements of a reading transaction see the same moment.</summary>
    internal abstract IsolationLevel Snapshot { get; }

    /// <summary>Runs first in a reading transaction.</summary>
    internal virtual string? SnapshotSetUp => null;

    /// <summary>Runs on the connection of a reading transaction, after its end.</summary>
    internal virtual string? SnapshotTearDown => null;

    /// <summary>The isolation level at which a writing transaction waits for others at its rows or at its start, not at its commit.</summary>
    internal abstract IsolationLevel Writing { get; }

    /// <summary>
    /// A query that returns the database's name in quotes, if the database is set up so that reads wait for transactions that write. Otherwise it returns no
    /// row. Null if reads never wait.
    /// </summary>
    internal virtual string? WaitingReads => null;

    /// <summary>Runs on a connection before its transaction begins.</summary>
    internal virtual string? SetUp(bool isReading) => null;

    /// <summary>Sets what the driver would infer less well for a parameter with a value.</summary>
    internal virtual void Declare(DbParameter parameter)
    {
    }

    /// <summary>Whether preparing a command saves work.</summary>
    internal virtual bool Prepares => true;

    /// <summary>Whether COMMIT rolls back without an error if a statement of the transaction has failed.</summary>
    internal abstract bool CommitHidesAbort { get; }

    /// <summary>Whether the driver's command timeout also ends a statement that is working; otherwise it only ends a wait for a lock.</summary>
    internal abstract bool EndsLongStatements { get; }

    /// <summary>Whether a statement takes many rows at once; otherwise it is run for each row.</summary>
    internal abstract bool HasArrays { get; }

    /// <summary>A table <c>r</c> with the columns and rows of <see cref="SqlRows"/>.</summary>
    internal abstract string Rows(SqlRows rows);

    /// <summary>The order of keys in an index.</summary>
    internal virtual KeyOrder Keys { get; } = new();

    /// <summary>The parameters for rows that a statement takes at once.</summary>
    internal virtual (string Name, object? Value)[] Parameters(SqlRows rows) => rows.Arrays;

    /// <summary>The statements that merge rows into a table. They throw <see cref="InvalidOperationException"/> for a rule that the database does not support.</summary>
    internal abstract MergeStatements Merge(string table, IReadOnlyList<MergeColumn> columns);

    internal abstract string MergeParameter(int column);

    /// <summary>A column in a SELECT, for <see cref="RowReading.ValueOf{TValue}"/>.</summary>
    internal virtual string Read(string column, ColumnType type) => column;

    /// <summary>Creates a table for rows that are merged into it, if it does not exist. Columns that are not keys allow null.</summary>
    internal string CreateTable(string table, IReadOnlyList<MergeColumn> columns) =>
        $"{CreateTable(table)} ({string.Join(", ", columns.Select(Declared))}, PRIMARY KEY ({MergeText.Keys(columns)}))";

    /// <summary>The type of a column in a table that is created here.</summary>
    private protected abstract string TypeOf(MergeColumn column);

    private string Declared(MergeColumn column) => $"{MergeText.Quote(column.Name)} {TypeOf(column)}{(column.Rule == MergeRule.Key ? " NOT NULL" : "")}";

    internal virtual Array MergeValues(Array values) => values;

    internal abstract TableTypes Types { get; }

    /// <summary>The beginning of a statement that creates a table if it does not exist.</summary>
    internal virtual string CreateTable(string table) => $"CREATE TABLE IF NOT EXISTS {table}";

    /// <summary>The beginning of a statement that creates an index if it does not exist. Its name is that of the table and a suffix.</summary>
    internal virtual string CreateIndex(string table, string suffix) => $"CREATE INDEX IF NOT EXISTS {table}{suffix}";

    /// <summary>Creates an index, if it does not exist. If the table can be stored in its order, <paramref name="more"/> are its last columns.</summary>
    internal virtual string CreateOrder(string table, string suffix, string columns, string more) => $"{CreateIndex(table, suffix)} ON {table} ({columns})";

    /// <summary>The columns of an index that needs only the rows in which one column has some value.</summary>
    internal virtual string Partial(string columns, string column, string value) => $"({columns}) WHERE {column} {value}";

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
    internal virtual bool MayHaveThrown(Exception error) => error switch
    {
        AggregateException several => several.InnerExceptions.Any(MayHaveThrown),
        DbException database => IsTransient(database) is not null,
        _ => error.InnerException is { } inner && MayHaveThrown(inner),
    };

    /// <summary>Whether an error of this database is in the statement itself: a missing table, column or right, or a syntax error.</summary>
    internal abstract bool IsOfStatement(DbException error);
}

/// <summary><c>Ticks</c> is a 64-bit integer, <c>Identity</c> an ascending key that the database generates. <c>Often</c> ends a table whose rows are updated all the time.</summary>
internal sealed record TableTypes(string Ticks, string Time, string Flag, string Bytes, string Number, string Identity, string Often)
{
    /// <summary>A text of any length. Texts are compared by code units.</summary>
    internal string Text { get; init; } = "text";

    /// <summary>A text of at most 200 characters, which may be a key.</summary>
    internal string Name { get; init; } = "text";

    /// <summary>A persistence id.</summary>
    internal string Id { get; init; } = "text";

    /// <summary>A primary key with a persistence id.</summary>
    internal string LongKey { get; init; } = "PRIMARY KEY";
}
