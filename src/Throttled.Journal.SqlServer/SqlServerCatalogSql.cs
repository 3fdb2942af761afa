namespace Throttled.Journal.SqlServer;

/// <summary>The SQL texts that query the server's locks, sessions, identities and indexes.</summary>
internal static class SqlServerCatalogSql
{
    /// <summary>
    /// The settings of each session. In a deadlock the reader is the victim, not the writer. Read committed, because each read
    /// must see what was committed before it. The database's setting decides whether it uses locks or row versions.
    /// </summary>
    internal const string Settings =
        "SET NOCOUNT ON; SET IMPLICIT_TRANSACTIONS OFF; SET TRANSACTION ISOLATION LEVEL READ COMMITTED; SET DEADLOCK_PRIORITY LOW; SET LOCK_TIMEOUT -1";

    /// <summary>
    /// The session's name for <see cref="StillRunning"/>, and the run of the server. The latter is the creation time of tempdb,
    /// which each start creates (https://learn.microsoft.com/sql/relational-databases/databases/tempdb-database). NULL if the
    /// server does not show it, as in Azure SQL Database.
    /// </summary>
    internal const string Names =
        $"SELECT {Session}, (SELECT CONVERT(NVARCHAR(128), SERVERPROPERTY(N'ServerName')) + N'/' + CONVERT(NVARCHAR(40), d.create_date, 126) "
        + "FROM sys.databases AS d WHERE d.name = N'tempdb') FROM sys.dm_exec_sessions AS s WHERE s.session_id = @@SPID";

    /// <summary>
    /// The open transactions that may still commit an ordering. An insert takes an intent lock on the table before it draws its
    /// identity. It keeps the lock to the end of its transaction (docs/decisions/0023). A transaction that waits for its lock
    /// counts too. Within one run of the server, each transaction has a different number. Parameter: table.
    /// </summary>
    internal const string OpenTransactions =
        "SELECT DISTINCT l.request_owner_id FROM sys.dm_tran_locks AS l "
        + "WHERE l.resource_type = N'OBJECT' AND l.resource_database_id = DB_ID() AND l.resource_associated_entity_id = OBJECT_ID(@p1) "
        + "AND l.request_mode IN (N'IX', N'SIX', N'UIX', N'X', N'BU')";

    /// <summary>
    /// The oldest of some open transactions: seconds, user, session, program, state, the query's first 101 characters. A
    /// transaction that waits for a coordinator has no session. Parameter: open transactions.
    /// </summary>
    internal const string Oldest =
        "SELECT TOP (1) DATEDIFF_BIG(SECOND, t.transaction_begin_time, GETDATE()), s.login_name, s.session_id, s.program_name, s.status, LEFT(q.text, 101) "
        + "FROM sys.dm_tran_active_transactions AS t "
        + "LEFT JOIN sys.dm_tran_session_transactions AS x ON x.transaction_id = t.transaction_id "
        + "LEFT JOIN sys.dm_exec_sessions AS s ON s.session_id = x.session_id "
        + "LEFT JOIN sys.dm_exec_connections AS c ON c.session_id = s.session_id AND c.parent_connection_id IS NULL "
        + "OUTER APPLY sys.dm_exec_sql_text(c.most_recent_sql_handle) AS q "
        + "WHERE t.transaction_id IN (SELECT h.n FROM OPENJSON(@p1) WITH (n BIGINT '$') AS h) ORDER BY t.transaction_begin_time";

    /// <summary>
    /// In this order: the server's limit of connections; whether the database takes writes; whether the journal is a table;
    /// whether it is in memory; whether its ordering is an identity; the identity's increment; the compatibility level; the
    /// user; whether reads use row versions. Parameters: table, column.
    /// </summary>
    /// <remarks>On Azure, DB_ID() is not the number in sys.databases: https://learn.microsoft.com/sql/t-sql/functions/db-id-transact-sql</remarks>
    internal const string Facts =
        "SELECT @@MAX_CONNECTIONS, CONVERT(NVARCHAR(60), DATABASEPROPERTYEX(DB_NAME(), N'Updateability')), "
        + "CONVERT(INT, OBJECTPROPERTY(OBJECT_ID(@p1), N'IsUserTable')), CONVERT(INT, OBJECTPROPERTY(OBJECT_ID(@p1), N'TableIsMemoryOptimized')), "
        + "CONVERT(INT, COLUMNPROPERTY(OBJECT_ID(@p1), @p2, N'IsIdentity')), CONVERT(BIGINT, IDENT_INCR(@p1)), "
        + "CONVERT(INT, (SELECT d.compatibility_level FROM sys.databases AS d WHERE d.name = DB_NAME())), SUSER_SNAME(), "
        + "CONVERT(INT, (SELECT d.is_read_committed_snapshot_on FROM sys.databases AS d WHERE d.name = DB_NAME()))";

    /// <summary>Fails if the database's compatibility level does not support JSON.</summary>
    internal const string HasJson = "SELECT TOP (0) j.[key] FROM OPENJSON(N'[]') AS j";

    /// <summary>The type and the collation of a column; no row if there is no such column. Parameters: table, column.</summary>
    internal const string ColumnText =
        "SELECT TYPE_NAME(c.system_type_id), c.collation_name FROM sys.columns AS c WHERE c.object_id = OBJECT_ID(@p1) AND c.name = @p2";

    /// <summary>
    /// The highest ordering that was issued. 0 if none was issued since the table was created or emptied; NULL or no row if the
    /// server does not show it. Not on a replica, which gets the value late. Parameters: table, column.
    /// </summary>
    internal const string LastIssued =
        "SELECT CASE WHEN CONVERT(NVARCHAR(60), DATABASEPROPERTYEX(DB_NAME(), N'Updateability')) = N'READ_WRITE' "
        + "THEN CONVERT(BIGINT, ISNULL(i.last_value, 0)) END FROM sys.identity_columns AS i WHERE i.object_id = OBJECT_ID(@p1) AND i.name = @p2";

    /// <summary>
    /// Whether a table lacks an index that gives the orderings of a tag in order; no row if there is no such table. An index on
    /// the tag alone is enough if the table is clustered by ordering, because the index ends with that key:
    /// https://learn.microsoft.com/sql/relational-databases/sql-server-index-design-guide. Parameters: table, tag, ordering.
    /// </summary>
    internal const string LacksIndex =
        "SELECT CASE WHEN EXISTS (SELECT 1 FROM sys.indexes AS x WHERE x.object_id = o.object_id AND x.type IN (1, 2) AND x.is_disabled = 0 AND x.has_filter = 0 "
        + "AND EXISTS (SELECT 1 FROM sys.index_columns AS k WHERE k.object_id = x.object_id AND k.index_id = x.index_id AND k.key_ordinal = 1 AND COL_NAME(k.object_id, k.column_id) = @p2) "
        + "AND (EXISTS (SELECT 1 FROM sys.index_columns AS k WHERE k.object_id = x.object_id AND k.index_id = x.index_id AND k.key_ordinal = 2 AND COL_NAME(k.object_id, k.column_id) = @p3) "
        + "OR (NOT EXISTS (SELECT 1 FROM sys.index_columns AS k WHERE k.object_id = x.object_id AND k.index_id = x.index_id AND k.key_ordinal = 2) "
        + "AND EXISTS (SELECT 1 FROM sys.indexes AS c JOIN sys.index_columns AS k ON k.object_id = c.object_id AND k.index_id = c.index_id "
        + "WHERE c.object_id = o.object_id AND c.type = 1 AND k.key_ordinal = 1 AND COL_NAME(k.object_id, k.column_id) = @p3)))) THEN 0 ELSE 1 END "
        + "FROM sys.objects AS o WHERE o.object_id = OBJECT_ID(@p1) AND o.type = 'U'";

    /// <summary>Whether a table or view exists. Parameter: its name.</summary>
    internal const string IsThere = "SELECT CASE WHEN OBJECT_ID(@p1) IS NULL THEN 0 ELSE 1 END";

    /// <summary>The given sessions that run a statement. Parameter: sessions.</summary>
    internal const string StillRunning =
        $"SELECT {Session} FROM sys.dm_exec_sessions AS s WHERE {Session} IN (SELECT j.value FROM OPENJSON(@p1) AS j) "
        + "AND EXISTS (SELECT 1 FROM sys.dm_exec_requests AS r WHERE r.session_id = s.session_id)";

    // The login time tells a session from a later one with the same number.
    private const string Session = "CONVERT(NVARCHAR(11), s.session_id) + N'/' + CONVERT(NVARCHAR(40), s.login_time, 126)";
}
