using Microsoft.Data.SqlClient;
using Throttled.Tool.CommandLine;

namespace Throttled.Tool.Doctor;

/// <summary>What a SQL Server says about itself, this login and the journal.</summary>
internal sealed record SqlServerState
{
    public required string Version { get; init; }

    public required string Database { get; init; }

    public required string Login { get; init; }

    public required bool IsAdministrator { get; init; }

    /// <summary>Connections that the server allows, all together.</summary>
    public required int Usable { get; init; }

    /// <summary>Whether readers see committed versions of rows, and do not wait for writers.</summary>
    public required bool HasRowVersions { get; init; }

    /// <summary>Whether the login sees the locks and transactions of others.</summary>
    public required bool SeesState { get; init; }

    /// <summary>The server's clock minus this machine's.</summary>
    public required TimeSpan ClockSkew { get; init; }

    /// <summary>The tables that this login may not read, quoted.</summary>
    public required IReadOnlyList<string> Refused { get; init; }

    /// <summary>Null if there is none, or if the login does not see it.</summary>
    public OpenTransaction? Oldest { get; init; }

    public JournalSize? Size { get; init; }
}

/// <summary>Reads the facts.</summary>
/// <param name="connection">An open connection, with the connection string of the application.</param>
/// <param name="clock">The clock of this machine.</param>
internal sealed class SqlServerReading(SqlConnection connection, TimeProvider clock)
{
    // The rights have other names in Azure SQL Database (edition 5), and since 2022. The functions return NULL for a name that the server does not know.
    internal const string Server =
        """
        SELECT CONVERT(NVARCHAR(128), SERVERPROPERTY(N'ProductVersion')), CONVERT(NVARCHAR(128), SERVERPROPERTY(N'Edition')), DB_NAME(), SUSER_SNAME(),
            ISNULL(IS_SRVROLEMEMBER(N'sysadmin'), 0), @@MAX_CONNECTIONS,
            ISNULL((SELECT CONVERT(INT, d.is_read_committed_snapshot_on) FROM sys.databases AS d WHERE d.name = DB_NAME()), 0),
            CASE WHEN HAS_PERMS_BY_NAME(NULL, NULL, N'VIEW SERVER STATE') = 1 OR HAS_PERMS_BY_NAME(NULL, NULL, N'VIEW SERVER PERFORMANCE STATE') = 1
                OR (CONVERT(INT, SERVERPROPERTY(N'EngineEdition')) = 5 AND HAS_PERMS_BY_NAME(QUOTENAME(DB_NAME()), N'DATABASE', N'VIEW DATABASE STATE') = 1) THEN 1 ELSE 0 END
        """;

    internal const string Clock = "SELECT SYSUTCDATETIME()";

    internal const string IsRefused = "SELECT CASE WHEN OBJECT_ID(@p1) IS NOT NULL AND ISNULL(HAS_PERMS_BY_NAME(@p1, N'OBJECT', N'SELECT'), 0) = 0 THEN 1 ELSE 0 END";

    internal const string Oldest =
        """
        SELECT TOP (1) CONVERT(FLOAT, DATEDIFF_BIG(SECOND, t.transaction_begin_time, GETDATE())), s.login_name, ISNULL(s.program_name, N''), s.status, ISNULL(LEFT(q.text, 100), N'')
        FROM sys.dm_tran_active_transactions AS t
        JOIN sys.dm_tran_session_transactions AS x ON x.transaction_id = t.transaction_id
        JOIN sys.dm_exec_sessions AS s ON s.session_id = x.session_id
        LEFT JOIN sys.dm_exec_connections AS c ON c.session_id = s.session_id AND c.parent_connection_id IS NULL
        OUTER APPLY sys.dm_exec_sql_text(c.most_recent_sql_handle) AS q
        WHERE s.session_id <> @@SPID AND EXISTS (SELECT 1 FROM sys.dm_tran_database_transactions AS d WHERE d.transaction_id = t.transaction_id AND d.database_id = DB_ID())
        ORDER BY t.transaction_begin_time
        """;

    internal const string Columns = "SELECT c.name FROM sys.columns AS c WHERE c.object_id = OBJECT_ID(@p1)";

    internal const string Indexes =
        """
        SELECT x.index_id, CONVERT(INT, x.type), CONVERT(INT, x.is_unique), COL_NAME(k.object_id, k.column_id)
        FROM sys.indexes AS x JOIN sys.index_columns AS k ON k.object_id = x.object_id AND k.index_id = x.index_id
        WHERE x.object_id = OBJECT_ID(@p1) AND x.type IN (1, 2) AND x.is_disabled = 0 AND x.has_filter = 0 AND k.key_ordinal > 0
        ORDER BY x.index_id, k.key_ordinal
        """;

    internal const string Bytes =
        """
        SELECT ISNULL(SUM(CONVERT(BIGINT, a.total_pages)), 0) * 8192 FROM sys.partitions AS p JOIN sys.allocation_units AS a ON a.container_id = p.partition_id
        WHERE p.object_id = OBJECT_ID(@p1)
        """;

    internal async Task<SqlServerState> ReadAsync(IReadOnlyList<string> tables, CancellationToken cancellation)
    {
        var skew = await ReadSkewAsync(cancellation);
        List<string> refused = [];
        foreach (var table in tables)
        {
            if ((await RowsAsync(IsRefused, row => row.GetInt32(0), cancellation, table)).Single() == 1)
                refused.Add(table);
        }
        var facts = (await RowsAsync(
            Server,
            row => new SqlServerState
            {
                Version = $"SQL Server {row.GetString(0)}, {row.GetString(1)}",
                Database = row.GetString(2),
                Login = row.GetString(3),
                IsAdministrator = row.GetInt32(4) == 1,
                Usable = row.GetInt32(5),
                HasRowVersions = row.GetInt32(6) == 1,
                SeesState = row.GetInt32(7) == 1,
                ClockSkew = skew,
                Refused = refused,
            },
            cancellation)).Single();
        return facts.SeesState ? facts with { Oldest = (await OldestAsync(cancellation)).SingleOrDefault() } : facts;
    }

    internal async Task<KnownTable> TableAsync(string quoted, CancellationToken cancellation) => new(
        (await RowsAsync(Columns, row => row.GetString(0), cancellation, quoted)).ToHashSet(StringComparer.Ordinal),
        SqlServerIndexes.Of(await RowsAsync(Indexes, row => new IndexColumn(row.GetInt32(0), row.GetInt32(1) == 1, row.GetInt32(2) == 1, row.GetString(3)), cancellation, quoted)));

    internal async Task<JournalSize> SizeAsync(IReadOnlyList<string> tables, SizeSql sql, CancellationToken cancellation)
    {
        var bytes = 0L;
        foreach (var table in tables)
            bytes += (await RowsAsync(Bytes, row => row.GetInt64(0), cancellation, table)).Single();
        return SizeSql.Of(bytes, await RowsAsync(sql.Ends, row => (row.GetInt64(0), row.GetInt64(1)), cancellation));
    }

    internal async Task<bool> AnyAsync(string text, CancellationToken cancellation) => (await RowsAsync(text, row => row.FieldCount, cancellation)).Count > 0;

    private Task<IReadOnlyList<OpenTransaction>> OldestAsync(CancellationToken cancellation) => RowsAsync(
        Oldest, row => new OpenTransaction(TimeSpan.FromSeconds(row.GetDouble(0)), row.GetString(1), row.GetString(2), row.GetString(3), string.Join(' ', row.GetString(4).Split((char[]?)null, StringSplitOptions.RemoveEmptyEntries))), cancellation);

    private async Task<TimeSpan> ReadSkewAsync(CancellationToken cancellation)
    {
        var start = clock.GetTimestamp();
        var here = clock.GetUtcNow();
        var there = (await RowsAsync(Clock, row => row.GetDateTime(0), cancellation)).Single();
        // The server read its clock about in the middle of the round trip.
        return DateTime.SpecifyKind(there, DateTimeKind.Utc) - here.UtcDateTime - (clock.GetElapsedTime(start) / 2);
    }

    private async Task<IReadOnlyList<T>> RowsAsync<T>(string text, Func<SqlDataReader, T> read, CancellationToken cancellation, string? parameter = null)
    {
        await using var command = new SqlCommand(text, connection);
        if (parameter is not null)
            command.Parameters.AddWithValue("@p1", parameter);
        await using var reader = await command.ExecuteReaderAsync(cancellation);
        List<T> rows = [];
        while (await reader.ReadAsync(cancellation))
            rows.Add(read(reader));
        return rows;
    }
}

/// <summary>A key column of an index.</summary>
internal sealed record IndexColumn(int Index, bool IsClustered, bool IsUnique, string Column);

/// <summary>The columns by which each index finds rows in order.</summary>
internal static class SqlServerIndexes
{
    /// <summary>
    /// An index that is not unique has the key of the clustered index at its end:
    /// https://learn.microsoft.com/sql/relational-databases/sql-server-index-design-guide
    /// </summary>
    internal static IReadOnlyList<IReadOnlyList<string>> Of(IReadOnlyList<IndexColumn> columns)
    {
        IReadOnlyList<string> clustered = [.. columns.Where(each => each.IsClustered).Select(each => each.Column)];
        return [.. columns.GroupBy(each => each.Index).Select(IReadOnlyList<string> (index) => index.First() is { IsClustered: false, IsUnique: false }
            ? [.. index.Select(each => each.Column), .. clustered]
            : [.. index.Select(each => each.Column)])];
    }
}
