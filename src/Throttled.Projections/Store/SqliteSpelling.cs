using System.Data;

namespace Throttled.Projections.Store;

/// <summary>SQLite, from version 3.35 on. Times are texts in UTC that compare as they are.</summary>
internal sealed class SqliteSpelling : StoreSpelling
{
    // How long a statement waits for another process's transaction inside SQLite; the driver goes on from there with pauses of
    // 150 ms, up to its command timeout: https://learn.microsoft.com/dotnet/standard/data/sqlite/database-errors
    private const int BusyMilliseconds = 5000;

    internal override string Now => "strftime('%Y-%m-%dT%H:%M:%fZ', 'now')";

    // unixepoch with fractions is younger than what is needed otherwise: https://www.sqlite.org/lang_datefunc.html
    internal override string Epoch => "((julianday('now') - 2440587.5) * 86400.0)";

    // A transaction that writes has the whole file.
    internal override string ForUpdate => "";

    // The driver begins it without taking the lock for writing:
    // https://learn.microsoft.com/dotnet/standard/data/sqlite/transactions#deferred-transactions
    internal override IsolationLevel Snapshot => IsolationLevel.ReadUncommitted;

    // Where connections share a cache, the driver takes the level at its word: https://www.sqlite.org/pragma.html#pragma_read_uncommitted
    internal override string? SnapshotSetUp => "PRAGMA read_uncommitted = 0";

    // BEGIN IMMEDIATE. A transaction that begins by reading may not be able to write later, however long it waits.
    internal override IsolationLevel Writing => IsolationLevel.Serializable;

    internal override bool HasArrays => false;

    internal override bool CommitsSpoiltSilently => false;

    // https://learn.microsoft.com/dotnet/standard/data/sqlite/database-errors
    internal override bool EndsLongStatements => false;

    internal override string? SetUp => FormattableString.Invariant($"PRAGMA busy_timeout = {BusyMilliseconds}");

    internal override string ForUpdateOfFree(string table) => "";

    internal override string Later(string seconds) => $"strftime('%Y-%m-%dT%H:%M:%fZ', 'now', printf('%.3f seconds', {seconds}))";

    internal override string Greatest(string left, string right) => $"max({left}, {right})";

    // An order of its own is younger than what is needed otherwise; it takes the rows as the query gives them, which are in order:
    // https://www.sqlite.org/lang_aggfunc.html#group_concat
    internal override string Joined(string text, string order) => $"group_concat({text}, ',')";

    internal override string Same(string left, string right) => $"{left} IS {right}";

    internal override string Rows(IEnumerable<string> columns) =>
        $"(SELECT {string.Join(", ", columns.Select(column => $"@{column} AS {column}"))}) AS r";

    internal override string CountTables(IEnumerable<string> names) =>
        $"SELECT count(*) FROM sqlite_master WHERE name IN ({string.Join(", ", names.Select(name => $"'{name}'"))})";

    internal override IEnumerable<string> Step(int version) => 
        StoreTables.Step(version, (table, column) => $"ALTER TABLE {table} ADD COLUMN {column}");

    internal override IEnumerable<string> Create() =>
    [
        .. StoreTables.Create(
            ticks: "INTEGER", time: "TEXT", flag: "INTEGER", bytes: "BLOB", number: "REAL",
            identity: "INTEGER PRIMARY KEY AUTOINCREMENT", often: ""),
        $"DROP VIEW IF EXISTS {StoreTables.Status}",
        $"CREATE VIEW {StoreTables.Status} AS {StatusView.Select(this)}",
    ];
}
