using System.Data.Common;
using Throttled.Journal.Database;
using Throttled.Journal.Relational;
using static Throttled.Journal.SqlServer.SqlServerParameters;

namespace Throttled.Journal.SqlServer;

internal sealed class SqlServerProbe(AdoContext context, SqlServerJournalSql sql, SqlServerOpenTransactions openTransactions, int? poolSize)
    : AdoProbe(context)
{
    /// <exception cref="MissingJournalException">There is no journal table.</exception>
    /// <exception cref="UnsupportedLevelException">The database has no JSON.</exception>
    protected override async Task<ProbeResult> ReadServerAsync(IAdoSession session, CancellationToken cancellation)
    {
        await CheckJournalAsync((SqlServerSession)session, cancellation).ConfigureAwait(false);
        var orderings = await OrderingsAsync(session, cancellation).ConfigureAwait(false);
        var refused = await openTransactions.LearnAsync(session, orderings.AreDrawnUnderLock, cancellation).ConfigureAwait(false);
        await ReadTextsAsync(session, cancellation).ConfigureAwait(false);
        return ResultOf(orderings, refused);
    }

    private async Task CheckJournalAsync(SqlServerSession session, CancellationToken cancellation)
    {
        try
        {
            await session.ReadAsync(sql.JournalColumns, _ => true, cancellation).ConfigureAwait(false);
        }
        catch (DbException error) when (MissingColumn(error) is { } missing)
        {
            throw missing;
        }
        catch (DbException error) when (SqlServerFaults.IsMissingTable(error))
        {
            throw new MissingJournalException(session.Database, error);
        }
    }

    private async Task<Orderings> OrderingsAsync(IAdoSession session, CancellationToken cancellation)
    {
        var found = await session.RowAsync(
            SqlServerCatalogSql.Facts, OrderingsOf, cancellation, Of(sql.JournalTable), Of(Context.Tables.OrderingColumn)).ConfigureAwait(false);
        await CheckLevelAsync(session, found.Level, cancellation).ConfigureAwait(false);
        return found;
    }

    private static Orderings OrderingsOf(DbDataReader row) => new(
        Connections: row.GetInt32(0),
        IsReadOnly: !row.IsDBNull(1) && row.GetString(1) == "READ_ONLY",
        IsTable: Is(row, 2),
        IsInMemory: Is(row, 3),
        IsIdentity: Is(row, 4),
        Increment: row.IsDBNull(5) ? 1 : row.GetInt64(5),
        Level: row.IsDBNull(6) ? null : row.GetInt32(6),
        User: row.IsDBNull(7) ? "" : row.GetString(7),
        // Counts as on if the server does not show it: a replica reads row versions whatever the setting.
        HasRowVersions: row.IsDBNull(8) || row.GetInt32(8) == 1);

    private static async Task CheckLevelAsync(IAdoSession session, int? level, CancellationToken cancellation)
    {
        try
        {
            await session.ReadAsync(SqlServerCatalogSql.HasJson, _ => true, cancellation).ConfigureAwait(false);
        }
        catch (DbException error) when (SqlServerFaults.IsMissingTable(error))
        {
            throw new UnsupportedLevelException(level, error);
        }
    }

    private async Task ReadTextsAsync(IAdoSession session, CancellationToken cancellation)
    {
        var tables = Context.Tables;
        var ids = await TextAsync(session, sql.JournalTable, tables.PersistenceIdColumn, cancellation).ConfigureAwait(false);
        var tag = tables.TagMode == TagMode.TagTable
            ? await TextAsync(session, sql.TagTable, tables.TagColumn, cancellation).ConfigureAwait(false)
            : await TextAsync(session, sql.JournalTable, tables.TagsColumn, cancellation).ConfigureAwait(false);
        sql.CompareAs(ids, tag);
    }

    private static async Task<SqlServerText> TextAsync(IAdoSession session, string table, string column, CancellationToken cancellation) =>
        await session.RowAsync(
            SqlServerCatalogSql.ColumnText,
            row => SqlServerText.Of(row.GetString(0), row.IsDBNull(1) ? null : row.GetString(1)),
            cancellation,
            Of(table),
            Of(column)).ConfigureAwait(false) ?? SqlServerText.Unknown;

    private ProbeResult ResultOf(Orderings orderings, string? refused)
    {
        string?[] warnings = [Unseen(orderings) ?? Refused(orderings, refused), Leaps(orderings), Blocks(orderings)];
        var reason = FormattableString.Invariant($"the server takes {orderings.Connections} connections");
        return Limit(orderings.Connections, reason, poolSize, "Max Pool Size") with
        {
            Increment = orderings.Increment,
            Warning = warnings.Any(one => one is not null) ? string.Join(' ', warnings.OfType<string>()) : null,
        };
    }

    private string? Unseen(Orderings orderings)
    {
        var why = orderings.IsReadOnly ? "The database takes no writes here, so it is a replica, where the locks of writers cannot be seen"
            : !orderings.IsTable ? $"{sql.JournalTable} is not a table, so the locks of its writers cannot be seen"
            : orderings.IsInMemory ? $"{sql.JournalTable} is a memory-optimised table, whose writers take no locks"
            : !orderings.IsIdentity ? $"The column {Context.Tables.OrderingColumn} of {sql.JournalTable} is not an identity"
            : null;
        return why is null ? null : why + ": a missing ordering is skipped after 'GapTimeout'.";
    }

    // The names of the right:
    // https://learn.microsoft.com/sql/relational-databases/system-dynamic-management-views/sys-dm-tran-locks-transact-sql#permissions
    private string? Refused(Orderings orderings, string? refused) => refused is null
        ? null
        : $"The user {orderings.User} may not see the locks of writers ({DriverMessages.SentenceOf(refused).TrimEnd('.')}): a missing ordering is skipped after "
            + $"'GapTimeout', and queries by tag begin that long after the first query. In master, run GRANT VIEW SERVER STATE TO {Context.Dialect.Quote(orderings.User)}. From SQL Server 2022 on, VIEW SERVER PERFORMANCE STATE "
            + "is enough; on Azure SQL Database, grant VIEW DATABASE STATE in this database.";

    private string? Leaps(Orderings orderings) => orderings.Increment is 1
        ? null
        : FormattableString.Invariant(
            $"The identity of {sql.JournalTable} has the increment {orderings.Increment}: queries wait for each number between, as if its event were missing.");

    private static string? Blocks(Orderings orderings) => orderings.HasRowVersions
        ? null
        : "READ_COMMITTED_SNAPSHOT of the database is off, so a read waits for every open transaction that wrote the rows that it reads. "
            + "Run ALTER DATABASE CURRENT SET READ_COMMITTED_SNAPSHOT ON WITH ROLLBACK IMMEDIATE, which ends open transactions.";

    private static bool Is(DbDataReader row, int column) => !row.IsDBNull(column) && row.GetInt32(column) == 1;

    /// <summary>Where orderings come from.</summary>
    private readonly record struct Orderings(
        int Connections, bool IsReadOnly, bool IsTable, bool IsInMemory, bool IsIdentity, long Increment, int? Level, string User, bool HasRowVersions)
    {
        internal bool AreDrawnUnderLock => !IsReadOnly && IsTable && !IsInMemory && IsIdentity;
    }
}

/// <summary>The journal table does not exist. Without 'Database' in its connection string, a login gets its default database, mostly master.</summary>
internal sealed class MissingJournalException(string database, Exception inner) : Exception(
    $"{SqlServerFaults.ReasonOf(inner).TrimEnd('.')}, in the database '{database}', to which the connection string leads", inner);

/// <summary>The database's compatibility level does not support JSON: https://learn.microsoft.com/sql/t-sql/functions/openjson-transact-sql</summary>
internal sealed class UnsupportedLevelException(int? level, Exception inner) : Exception(
    FormattableString.Invariant(
        $"The database's compatibility level is {level?.ToString() ?? "unknown"}; it must be at least {Least}, which SQL Server 2016 and later have. Run ALTER DATABASE CURRENT SET COMPATIBILITY_LEVEL = {Least}."),
    inner)
{
    private const int Least = 130;
}
