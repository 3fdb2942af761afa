using Microsoft.Data.Sqlite;
using Throttled.Journal.Database;
using Throttled.Journal.Relational;

namespace Throttled.Journal.Sqlite;

/// <summary>The mark that stands beside a shard's journal.</summary>
/// <param name="tables">The journal's tables.</param>
/// <param name="prepare">The statement of a text, on the caller's connection.</param>
internal sealed class SqliteShardMark(JournalTables tables, Func<string, PreparedStatement> prepare)
{
    private readonly ShardMarkSql _sql = new(new SqliteDialect(), tables);

    /// <exception cref="ShardMarkException">The events were written with another map.</exception>
    /// <exception cref="ShardMarkPendingException">The journal is empty and has no mark.</exception>
    internal void Check(ShardIdentity identity) => ShardMark.CheckRead(HasEvents(), Found(), identity, _sql.Journal);

    /// <summary>What its owner should know who reads it by itself; null for nothing.</summary>
    internal string? Warning() => ShardMark.WarningOf(Found(), _sql.Journal);

    /// <summary>Within a transaction that may write.</summary>
    /// <exception cref="ShardMarkException">The events were written with another map.</exception>
    internal void Write(ShardIdentity identity)
    {
        if (!ShardMark.MustMark(Found(), identity, _sql.Journal, HasEvents()))
            return;
        Insert(identity);
    }

    /// <summary>Writes it whatever events there are: the caller has checked these. Within a transaction that may write.</summary>
    /// <exception cref="ShardMarkException">There is another.</exception>
    internal void Mark(ShardIdentity identity)
    {
        if (ShardMark.MustMark(Found(), identity, _sql.Journal, hasEvents: false))
            Insert(identity);
    }

    /// <summary>What stands there; null for nothing.</summary>
    internal ShardMark? Found() => OfTable(
        () => prepare(_sql.Read).Bind(1, tables.JournalTable).First(static row => new ShardMark((int)row.Integer(0), row.Text(1))));

    private void Insert(ShardIdentity identity)
    {
        prepare(_sql.Create).Run();
        prepare(_sql.Write).Bind(1, tables.JournalTable).Bind(2, identity.Shard).Bind(3, identity.Map.ToString()).Run();
    }

    private bool HasEvents() => OfTable(() => prepare(_sql.AnyEvent).First(static _ => true));

    // A table that is not there holds nothing.
    private static T? OfTable<T>(Func<T?> read)
    {
        try
        {
            return read();
        }
        catch (SqliteException error) when (SqliteFaults.IsMissingTable(error))
        {
            return default;
        }
    }
}
