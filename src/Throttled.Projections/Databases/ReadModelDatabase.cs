using System.Data.Common;
using Throttled.Projections.Databases;
using Throttled.Projections.Merging;

namespace Throttled.Projections;

/// <summary>
/// The database of a read model. Offsets, dead letters and commands are kept in it too, in tables whose names begin with
/// <c>throttled_projection</c>; they are made at the first start where they are not there.
/// </summary>
public sealed class ReadModelDatabase
{
    private ReadModelDatabase(DbDataSource source, ReadModelDialect dialect, SemaphoreSlim? writeTurns = null)
    {
        Source = source;
        Dialect = dialect;
        WriteTurns = writeTurns;
    }

    internal DbDataSource Source { get; }

    internal ReadModelDialect Dialect { get; }

    /// <summary>
    /// SQLite has one writer at a time: who writes takes this first, so that the lanes of a process wait in line instead of trying again and
    /// again. Null where many write at once.
    /// </summary>
    internal SemaphoreSlim? WriteTurns { get; }

    /// <summary>
    /// A name as a part of SQL, on both databases: in double quotes, so that it names a table, view or column and nothing else, whatever is in it. PostgreSQL
    /// then keeps its case, as <see cref="MergeTable{TRow}"/> does: a table <c>Balances</c> is always to be written in quotes.
    /// </summary>
    /// <param name="name">One name, without a schema: a dot is a part of it.</param>
    /// <exception cref="ArgumentException">It is no name: it is empty, has a NUL, or has more than 63 bytes in UTF-8, which PostgreSQL would cut off.</exception>
    public static string Quote(string name) => MergeText.Quote(MergeName.Checked(name, "table"));

    /// <summary>
    /// A read model in PostgreSQL, version 12 or later. A process uses a connection for each of its lanes, and one more.
    /// </summary>
    /// <param name="source">
    /// An <c>NpgsqlDataSource</c>; the caller's to dispose, after the projection. Its search path says in which schema the tables are. A pooler
    /// in between has to carry prepared statements over, as PgBouncer does from version 1.21 on where <c>max_prepared_statements</c> is above 0.
    /// </param>
    public static ReadModelDatabase PostgreSql(DbDataSource source)
    {
        ArgumentNullException.ThrowIfNull(source);
        return new(source, new PostgreSqlReadModelDialect());
    }

    /// <summary>
    /// A read model in a SQLite file. Lanes take turns to write. In a file that is not in WAL mode each reader makes them wait.
    /// </summary>
    /// <param name="source">Made by <c>SqliteFactory.Instance.CreateDataSource(connectionString)</c>; the caller's to dispose, after the projection.</param>
    public static ReadModelDatabase Sqlite(DbDataSource source)
    {
        ArgumentNullException.ThrowIfNull(source);
        return new(source, new SqliteReadModelDialect(), new(1, 1));
    }
}
