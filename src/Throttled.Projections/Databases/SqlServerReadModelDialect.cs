using System.Data;
using System.Data.Common;
using Throttled.Journal.Database;
using Throttled.Journal.SqlServer;
using Throttled.Projections.Merging;

namespace Throttled.Projections.Databases;

/// <summary>SQL Server 2017 or later, and Azure SQL Database, without a reference to a driver. The compatibility level is 130 or higher.</summary>
internal sealed class SqlServerReadModelDialect : ReadModelDialect
{
    // The longest text that is not a LOB: https://learn.microsoft.com/sql/t-sql/data-types/nchar-and-nvarchar-transact-sql
    private const int MostCharacters = 4000;
    private const int MostBytes = 8000;

    internal const string RowsParameter = "rows";

    // Compares UTF-16 code units, whatever the database's collation is. Blanks at the end of a text still do not count:
    // https://learn.microsoft.com/sql/relational-databases/collations/collation-and-unicode-support
    private const string ByCodeUnits = "COLLATE Latin1_General_100_BIN2";

    // Reads what is committed and not locked. With READ_COMMITTED_SNAPSHOT, READPAST needs READCOMMITTEDLOCK:
    // https://learn.microsoft.com/sql/t-sql/queries/hints-transact-sql-table
    internal override string Free => " WITH (UPDLOCK, READPAST, ROWLOCK, READCOMMITTEDLOCK)";

    internal override string Unlocked => " WITH (READPAST, ROWLOCK, READCOMMITTEDLOCK)";

    internal override string Locking => " WITH (UPDLOCK, ROWLOCK)";

    // Evaluated once for a statement, before it waits for a lock. A lease is then shorter than wanted, and never longer.
    internal override string Now => "TODATETIMEOFFSET(SYSUTCDATETIME(), 0)";

    internal override string Epoch => "DATEDIFF_BIG(microsecond, '19700101', SYSUTCDATETIME()) / 1E6";

    internal override string Later(string seconds) => $"DATEADD(millisecond, CAST({seconds} * 1000 AS int), {Now})";

    // GREATEST needs SQL Server 2022. Neither side is ever null here.
    internal override string Greatest(string left, string right) => $"CASE WHEN {left} > {right} THEN {left} ELSE {right} END";

    // A result that is not a LOB may have 8,000 bytes: https://learn.microsoft.com/sql/t-sql/functions/string-agg-transact-sql
    internal override string Joined(string text, string order) => $"STRING_AGG(CAST({text} AS nvarchar(max)), ',') WITHIN GROUP (ORDER BY {order})";

    internal override string Concat(params string[] texts) => $"CONCAT({string.Join(", ", texts)})";

    // A table in FROM cannot be sorted.
    internal override string InOrder(string table, string order) => table;

    internal override string Count => "COUNT_BIG(*)";

    internal override string Flag(bool value) => value ? "1" : "0";

    internal override string Limit(string count) => $"OFFSET 0 ROWS FETCH NEXT {count} ROWS ONLY";

    internal override string Same(string text, string other) => $"{text} = {other} AND DATALENGTH({text}) = DATALENGTH({other})";

    // Names of tables have the database's collation. Some collations ignore accents, or the width of characters:
    // https://learn.microsoft.com/sql/relational-databases/collations/collation-and-unicode-support
    internal override string OneTable(string name, string other) => $"{name} COLLATE DATABASE_DEFAULT = {other} COLLATE DATABASE_DEFAULT";

    internal override string Exact(string text) => $"{text}, DATALENGTH({text})";

    internal override string Output(string row, params string[] columns) => $"OUTPUT {string.Join(", ", columns.Select(column => $"{row}.{column}"))}";

    internal override string Returning(params string[] columns) => "";

    // HOLDLOCK also locks the place of a missing key, and UPDLOCK makes a second transaction wait here and not deadlock later.
    internal override string IfAbsent(string table, string condition, string key) =>
        $"WHERE NOT EXISTS (SELECT 1 FROM {table} WITH (UPDLOCK, HOLDLOCK) WHERE {condition})";

    // A lock of the place of a missing key would also lock the next key, and so another version, for as long as the handler prepares its tables.
    internal override string IfAbsentUnderLock(string table, string condition, string key) => $"WHERE NOT EXISTS (SELECT 1 FROM {table} WHERE {condition})";

    // Without the error, the server would continue without the lock. 13 is the severity of deadlocks, which are tried again:
    // https://learn.microsoft.com/sql/relational-databases/system-stored-procedures/sp-getapplock-transact-sql
    internal override string NameLock =>
        """
        DECLARE @turn int;
        DECLARE @turn_name nvarchar(255) = CONCAT(N'throttled_projection ', @name);
        EXEC @turn = sp_getapplock @Resource = @turn_name, @LockMode = N'Exclusive', @LockOwner = N'Transaction';
        IF @turn < 0 RAISERROR(N'sp_getapplock returned %d for the lock ''%s'', which a process needs to create a read model. Try again.', 13, 1, @turn, @turn_name)
        """;

    internal override string Matching(string table, string other, string condition, string locks = "") =>
        $"FROM {other} JOIN {table}{locks} ON {condition}{RowByRow}";

    internal override string Delete(string table, SqlRows rows, string condition) =>
        $"DELETE {table} {Matching(table, Rows(rows), $"{condition} AND {table}.{rows.Columns[0].Name} = r.{rows.Columns[0].Name}")}";

    // Another plan could read the whole table, and wait for rows of other lanes: docs/decisions/0039.
    internal override string RowByRow => $" {SqlServerMerge.RowByRow}";

    // At some 5,000 locks of a statement on one index, the server locks the whole table. A row has a lock, and may be alone on a page, which has one too:
    // https://learn.microsoft.com/sql/relational-databases/sql-server-transaction-locking-and-row-versioning-guide
    internal override int? MostRows => 2000;

    internal override string DeleteSome(string table) => $"DELETE TOP ({MostRows}) FROM {table}";

    // If the server's 'user options' have NOCOUNT, the driver gets no count and returns -1. The setting ends with the command, because a command with
    // parameters is a procedure: https://learn.microsoft.com/sql/t-sql/statements/set-nocount-transact-sql
    internal override string Counted => "SET NOCOUNT OFF; ";

    // COALESCE computes a subquery twice: https://learn.microsoft.com/sql/t-sql/language-elements/coalesce-transact-sql
    internal override string OrZero(string number) => $"ISNULL({number}, 0)";

    // In case OPENJSON makes null of the base64 text of no bytes.
    internal override string Bytes(string column) => $"coalesce({column}, 0x)";

    // The level of the session, which SetUp sets.
    internal override IsolationLevel Snapshot => IsolationLevel.Unspecified;

    // A transaction cannot change to SNAPSHOT after it has begun. Where the database does not allow that level, each statement sees its own moment.
    internal override string? SetUp(bool isReading) => isReading
        ? "IF EXISTS (SELECT 1 FROM sys.databases WHERE database_id = DB_ID() AND snapshot_isolation_state = 1) SET TRANSACTION ISOLATION LEVEL SNAPSHOT "
            + "ELSE SET TRANSACTION ISOLATION LEVEL READ COMMITTED"
        : null;

    // 0 is off, 2 is changing to off: https://learn.microsoft.com/sql/relational-databases/system-catalog-views/sys-databases-transact-sql
    internal override string WaitingReads =>
        "SELECT QUOTENAME(name) FROM sys.databases WHERE database_id = DB_ID() AND is_read_committed_snapshot_on = 0 AND snapshot_isolation_state IN (0, 2)";

    // The level stays on a session. An application may share the connection pool, and its own statements must not run at this level:
    // https://learn.microsoft.com/dotnet/api/microsoft.data.sqlclient.sqlconnection.begintransaction
    internal override string SnapshotTearDown => "SET TRANSACTION ISOLATION LEVEL READ COMMITTED";

    internal override IsolationLevel Writing => IsolationLevel.ReadCommitted;

    // COMMIT fails if the transaction cannot be committed (error 3930), and the driver refuses to use one that the server rolled back.
    internal override bool CommitHidesAbort => false;

    internal override bool EndsLongStatements => true;

    internal override bool HasArrays => true;

    // The server finds the plan by the text. Preparing takes a round trip more, and the driver refuses it unless each size is set.
    internal override bool Prepares => false;

    // Otherwise each length of a text or of bytes is a type of its own, and a plan of its own. A time would be a datetime, which rounds to 3 ms:
    // https://learn.microsoft.com/dotnet/framework/data/adonet/configuring-parameters-and-parameter-data-types
    internal override void Declare(DbParameter parameter)
    {
        if (parameter.Value is string text)
            parameter.Size = text.Length <= MostCharacters ? MostCharacters : -1;
        else if (parameter.Value is byte[] bytes)
            parameter.Size = bytes.Length <= MostBytes ? MostBytes : -1;
        else if (parameter.Value is DateTime)
            parameter.DbType = DbType.DateTime2;
    }

    internal override KeyOrder Keys { get; } = new SqlServerKeyOrder();

    // Texts from JSON have the database's collation, which cannot be compared with another one (error 468).
    internal override string Rows(SqlRows rows)
    {
        var columns = rows.Columns.Select((column, i) => (column.Name, Type: ColumnType.SqlServerOf(column.Values, isKey: i == 0), IsText: column.Values is string[])).ToList();
        var read = FromJson(columns.Select(column => (column.Name, column.Type)), "r");
        return columns.Exists(column => column.IsText)
            ? $"(SELECT {string.Join(", ", columns.Select(column => column.IsText ? $"r.{column.Name} {ByCodeUnits} AS {column.Name}" : $"r.{column.Name}"))} FROM {read}) AS r"
            : read;
    }

    // One parameter, whatever the number of rows and columns: docs/decisions/0039.
    internal override (string Name, object? Value)[] Parameters(SqlRows rows) => [(RowsParameter, JsonRows.Of(rows))];

    internal override MergeStatements Merge(string table, IReadOnlyList<MergeColumn> columns) => SqlServerMerge.Of(table, columns);

    internal static string FromJson(IEnumerable<(string Name, string Type)> columns, string alias) =>
        $"OPENJSON(@{RowsParameter}) WITH ({string.Join(", ", columns.Select((column, i) => FormattableString.Invariant($"{column.Name} {column.Type} '$[{i}]'")))}) AS {alias}";

    internal override string MergeParameter(int column) => "";

    // The driver refuses a decimal with 18 digits after the point if it is larger than some 79 billion, because .NET's has 96 bits.
    internal override string Read(string column, ColumnType type) => type.Clr == typeof(decimal) ? $"CONVERT(nvarchar(50), {column})" : column;

    // A text that may be a key of a clustered index.
    private protected override string TypeOf(MergeColumn column) => column.SqlServerCast ?? (column.Type.Clr != typeof(string) ? column.Type.SqlServer
        : column.Rule == MergeRule.Key ? $"nvarchar(450) {ByCodeUnits}" : "nvarchar(max)");

    // Keys are within 900 bytes for a clustered index, and within 1,700 for others:
    // https://learn.microsoft.com/sql/sql-server/maximum-capacity-specifications-for-sql-server
    internal override TableTypes Types { get; } = new(
        Ticks: "bigint", Time: "datetimeoffset", Flag: "bit", Bytes: "varbinary(max)", Number: "float", Identity: "bigint IDENTITY PRIMARY KEY", Often: "")
    {
        Text = $"nvarchar(max) {ByCodeUnits}",
        Name = $"nvarchar(200) {ByCodeUnits}",
        Id = $"nvarchar(640) {ByCodeUnits}",
        LongKey = "PRIMARY KEY NONCLUSTERED",
    };

    internal override string CreateTable(string table) => $"IF OBJECT_ID(N'{table.Replace("'", "''", StringComparison.Ordinal)}', N'U') IS NULL CREATE TABLE {table}";

    internal override string CreateIndex(string table, string suffix) =>
        $"{IfIndex(table, suffix, "IndexID", "IS NULL")} CREATE INDEX {table}{suffix}";

    private static string IfIndex(string table, string suffix, string property, string value) =>
        $"IF INDEXPROPERTY(OBJECT_ID(N'{table}', N'U'), N'{table}{suffix}', N'{property}') {value}";

    // Tables from before the first release have an index of that name that is not clustered.
    internal override string CreateOrder(string table, string suffix, string columns, string more)
    {
        var create = $"CREATE CLUSTERED INDEX {table}{suffix} ON {table} ({columns}, {more})";
        return $"{IfIndex(table, suffix, "IndexID", "IS NULL")} {create}; {IfIndex(table, suffix, "IsClustered", "= 0")} {create} WITH (DROP_EXISTING = ON)";
    }

    // All rows. With a filter, a session with other settings, such as that of sqlcmd, could not insert a command by hand (error 1934):
    // https://learn.microsoft.com/sql/t-sql/statements/create-index-transact-sql
    internal override string Partial(string columns, string column, string value) => columns == column ? $"({columns})" : $"({column}, {columns})";

    // Keeps the grants on the view. It must be alone in its batch.
    internal override IEnumerable<string> CreateView(string name, string select) => [$"CREATE OR ALTER VIEW {name} AS {select}"];

    internal override string AddColumn(string table, string column) =>
        $"IF OBJECT_ID(N'{table}', N'U') IS NOT NULL AND COL_LENGTH(N'{table}', N'{column[..column.IndexOf(' ', StringComparison.Ordinal)]}') IS NULL ALTER TABLE {table} ADD {column}";

    internal override string CountTables(string table, IEnumerable<string> names) =>
        $"""
        SELECT {Count} FROM sys.objects AS o WHERE o.type IN ('U', 'V') AND o.name IN ({string.Join(", ", names.Select(name => $"N'{name}'"))})
            AND o.schema_id = (SELECT p.schema_id FROM sys.objects AS p WHERE p.object_id = OBJECT_ID(N'{table}'))
        """;

    // As in NameLock.
    internal override string InstallLock(string name) =>
        $"""
        DECLARE @turn int;
        EXEC @turn = sp_getapplock @Resource = N'{name}', @LockMode = N'Exclusive', @LockOwner = N'Transaction';
        IF @turn < 0 RAISERROR(N'sp_getapplock returned %d for the lock ''{name}'', which a process needs to create the tables of projections. Try again.', 13, 1, @turn)
        """;

    // The driver resets it when the connection goes back to its pool.
    internal override string InstallTimeout => "SET LOCK_TIMEOUT 500";

    internal override bool? IsTransient(DbException error) => Of(error) is not (var number, var severity) ? null
        : (SqlServerErrors.Known(number, severity) ?? SqlServerErrors.OfSeverity(number, severity))
            is FaultKind.Transient or FaultKind.TimedOut or FaultKind.ConnectionLost or FaultKind.TooManyConnections;

    // Severity 15 is a syntax error. The numbers: rights, names, columns that cannot be written, types that cannot be compared, collations that cannot be,
    // settings of the session, a trigger on a table of projections.
    // https://learn.microsoft.com/sql/relational-databases/errors-events/database-engine-events-and-errors
    internal override bool IsOfStatement(DbException error) =>
        Of(error) is (_, 15) or (229 or 230 or 262 or 1088 or 2760 or 207 or 208 or 213 or 271 or 544 or 206 or 402 or 457 or 468 or 334 or 1934 or 2812 or 4104 or 8117, _);

    // Both drivers' exceptions have these properties. Other drivers' exceptions have a Number that means something else.
    private static (int Number, byte Severity)? Of(DbException error) =>
        error.GetType() is var type && type.FullName is "Microsoft.Data.SqlClient.SqlException" or "System.Data.SqlClient.SqlException"
            && type.GetProperty("Number")?.GetValue(error) is int number && type.GetProperty("Class")?.GetValue(error) is byte severity
            ? (number, severity)
            : null;
}
