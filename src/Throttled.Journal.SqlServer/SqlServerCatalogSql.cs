namespace Throttled.Journal.SqlServer;

/// <summary>The texts of the statements that ask the server about itself: its locks, sessions, identities and indexes.</summary>
internal static class SqlServerCatalogSql
{
    /// <summary>
    /// What each session sets. Of two that wait for each other the reader gives way, not the writer. Read committed, because each read has
    /// to see what was committed before it; whether by locks or by versions is the database's setting.
    /// </summary>
    internal const string Settings =
        "SET NOCOUNT ON; SET IMPLICIT_TRANSACTIONS OFF; SET TRANSACTION ISOLATION LEVEL READ COMMITTED; SET DEADLOCK_PRIORITY LOW; SET LOCK_TIMEOUT -1";

    /// <summary>
    /// The session's name for <see cref="StillRunning"/>, and the run of the server: when its tempdb was made, which is at each start
    /// (https://learn.microsoft.com/sql/relational-databases/databases/tempdb-database). NULL where it is not told, as in Azure SQL Database.
    /// </summary>
    internal const string Names =
        $"SELECT {Session}, (SELECT CONVERT(NVARCHAR(128), SERVERPROPERTY(N'ServerName')) + N'/' + CONVERT(NVARCHAR(40), d.create_date, 126) "
        + "FROM sys.databases AS d WHERE d.name = N'tempdb') FROM sys.dm_exec_sessions AS s WHERE s.session_id = @@SPID";

    /// <summary>
    /// Who may still commit an ordering: an insert locks the table with intent before it draws its identity, and keeps the lock to the end of its
    /// transaction (docs/decisions/0023). One that waits for its lock counts too. Transactions of one run of the server have numbers of their own. Parameter: table.
    /// </summary>
    internal const string Holders =
        "SELECT DISTINCT l.request_owner_id FROM sys.dm_tran_locks AS l "
        + "WHERE l.resource_type = N'OBJECT' AND l.resource_database_id = DB_ID() AND l.resource_associated_entity_id = OBJECT_ID(@p1) "
        + "AND l.request_mode IN (N'IX', N'SIX', N'UIX', N'X', N'BU')";

    /// <summary>
    /// The oldest of some open transactions: seconds, user, session, program, state, the query's first 101 characters. One that waits for a coordinator has no session.
    /// Parameter: open transactions.
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
    /// What the server allows: how many connections, whether the database takes writes, and of the journal table whether it is a table, is in memory,
    /// draws its ordering as an identity, and how far these are apart; the compatibility level, the user, and whether reads are of row versions. Parameters: table, column.
    /// </summary>
    /// <remarks>On Azure DB_ID() is not the number in sys.databases: https://learn.microsoft.com/sql/t-sql/functions/db-id-transact-sql</remarks>
    internal const string Facts =
        "SELECT @@MAX_CONNECTIONS, CONVERT(NVARCHAR(60), DATABASEPROPERTYEX(DB_NAME(), N'Updateability')), "
        + "CONVERT(INT, OBJECTPROPERTY(OBJECT_ID(@p1), N'IsUserTable')), CONVERT(INT, OBJECTPROPERTY(OBJECT_ID(@p1), N'TableIsMemoryOptimized')), "
        + "CONVERT(INT, COLUMNPROPERTY(OBJECT_ID(@p1), @p2, N'IsIdentity')), CONVERT(BIGINT, IDENT_INCR(@p1)), "
        + "CONVERT(INT, (SELECT d.compatibility_level FROM sys.databases AS d WHERE d.name = DB_NAME())), SUSER_SNAME(), "
        + "CONVERT(INT, (SELECT d.is_read_committed_snapshot_on FROM sys.databases AS d WHERE d.name = DB_NAME()))";

    /// <summary>Fails where the database's compatibility level has no JSON.</summary>
    internal const string HasJson = "SELECT TOP (0) j.[key] FROM OPENJSON(N'[]') AS j";

    /// <summary>The type and the collation of a column; no row where there is none. Parameters: table, column.</summary>
    internal const string ColumnText =
        "SELECT TYPE_NAME(c.system_type_id), c.collation_name FROM sys.columns AS c WHERE c.object_id = OBJECT_ID(@p1) AND c.name = @p2";

    /// <summary>
    /// The highest ordering that was issued; 0 where none was since the table was made or emptied, NULL or no row where that is not told. Not on a
    /// replica, which learns of it late. Parameters: table, column.
    /// </summary>
    internal const string LastIssued =
        "SELECT CASE WHEN CONVERT(NVARCHAR(60), DATABASEPROPERTYEX(DB_NAME(), N'Updateability')) = N'READ_WRITE' "
        + "THEN CONVERT(BIGINT, ISNULL(i.last_value, 0)) END FROM sys.identity_columns AS i WHERE i.object_id = OBJECT_ID(@p1) AND i.name = @p2";

    /// <summary>
    /// Whether a table lacks an index by which the orderings of a tag are found in order; no row where there is no such table. An index on the tag alone
    /// is one where the table is clustered by ordering, because it ends with that key:
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

    /// <summary>Whether a table or view is there. Parameter: its name.</summary>
    internal const string IsThere = "SELECT CASE WHEN OBJECT_ID(@p1) IS NULL THEN 0 ELSE 1 END";

    /// <summary>Those sessions that run a statement. Parameter: sessions.</summary>
    internal const string StillRunning =
        $"SELECT {Session} FROM sys.dm_exec_sessions AS s WHERE {Session} IN (SELECT j.value FROM OPENJSON(@p1) AS j) "
        + "AND EXISTS (SELECT 1 FROM sys.dm_exec_requests AS r WHERE r.session_id = s.session_id)";

    // A session's start tells it from a later one with the same number.
    private const string Session = "CONVERT(NVARCHAR(11), s.session_id) + N'/' + CONVERT(NVARCHAR(40), s.login_time, 126)";
}
