using Microsoft.Data.Sqlite;
using Throttled.Journal.Database;
using Throttled.Journal.Relational;

namespace Throttled.Journal.Sqlite;

/// <summary>The mark beside a shard's journal.</summary>
/// <param name="tables">The journal's tables.</param>
/// <param name="prepare">Prepares an SQL text on the caller's connection.</param>
internal sealed class SqliteShardMark(JournalTables tables, Func<string, PreparedStatement> prepare)
{
    private readonly ShardMarkSql _sql = new(new SqliteDialect(), tables);

    /// <exception cref="ShardMarkException">The events were written with another map.</exception>
    /// <exception cref="ShardMarkPendingException">The journal is empty and has no mark.</exception>
    internal void Check(ShardIdentity identity) => ShardMark.CheckRead(HasEvents(), Found(), identity, _sql.Journal);

    /// <summary>A warning for a reader that reads this journal alone; null for none.</summary>
    internal string? Warning() => ShardMark.WarningOf(Found(), _sql.Journal);

    /// <summary>Needs a transaction that may write.</summary>
    /// <exception cref="ShardMarkException">The events were written with another map.</exception>
    internal void Write(ShardIdentity identity)
    {
        if (!ShardMark.MustMark(Found(), identity, _sql.Journal, HasEvents()))
            return;
        Insert(identity);
    }

    /// <summary>Writes the mark without a check for events: the caller has checked them. Needs a transaction that may write.</summary>
    /// <exception cref="ShardMarkException">There is another mark.</exception>
    internal void Mark(ShardIdentity identity)
    {
        if (ShardMark.MustMark(Found(), identity, _sql.Journal, hasEvents: false))
            Insert(identity);
    }

    /// <returns>The mark in the database; null for none.</returns>
    internal ShardMark? Found() => OfTable(
        () => prepare(_sql.Read).Bind(1, tables.JournalTable).First(static row => new ShardMark((int)row.Integer(0), row.Text(1))));

    private void Insert(ShardIdentity identity)
    {
        prepare(_sql.Create).Run();
        prepare(_sql.Write).Bind(1, tables.JournalTable).Bind(2, identity.Shard).Bind(3, identity.Map.ToString()).Run();
    }

    private bool HasEvents() => OfTable(() => prepare(_sql.AnyEvent).First(static _ => true));

    // A missing table has no mark and no events.
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
