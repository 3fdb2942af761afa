using Microsoft.Data.Sqlite;
using Throttled.Journal.Sharding;

namespace Throttled.Journal.Sqlite;

/// <summary>The mark that stands beside a shard's journal.</summary>
/// <param name="tables">The journal's tables.</param>
/// <param name="prepare">The statement of a text, on the caller's connection.</param>
internal sealed class SqliteStamp(JournalTables tables, Func<string, SqliteStatement> prepare)
{
    private readonly StampStatements _statements = new(new SqliteDialect(), tables);

    /// <exception cref="ShardStampException">The events were written with another map.</exception>
    /// <exception cref="AwaitedStampException">The journal is empty and has no mark.</exception>
    internal void Check(ShardPlace place) => ShardStamp.CheckRead(HasEvents(), Found(), place, _statements.Journal);

    /// <summary>What its owner should know who reads it by itself; null for nothing.</summary>
    internal string? Warning() => ShardStamp.WarningOf(Found(), _statements.Journal);

    /// <summary>Within a transaction that may write.</summary>
    /// <exception cref="ShardStampException">The events were written with another map.</exception>
    internal void Write(ShardPlace place)
    {
        if (!ShardStamp.MustStamp(Found(), place, _statements.Journal, HasEvents()))
            return;
        Insert(place);
    }

    /// <summary>Writes it whatever events there are: the caller has checked these. Within a transaction that may write.</summary>
    /// <exception cref="ShardStampException">There is another.</exception>
    internal void Mark(ShardPlace place)
    {
        if (ShardStamp.MustStamp(Found(), place, _statements.Journal, hasEvents: false))
            Insert(place);
    }

    /// <summary>What stands there; null for nothing.</summary>
    internal ShardStamp? Found() => OfTable(
        () => prepare(_statements.Read).Bind(1, tables.JournalTable).First(static row => new ShardStamp((int)row.Integer(0), row.Text(1))));

    private void Insert(ShardPlace place)
    {
        prepare(_statements.Create).Run();
        prepare(_statements.Write).Bind(1, tables.JournalTable).Bind(2, place.Shard).Bind(3, place.Map.ToString()).Run();
    }

    private bool HasEvents() => OfTable(() => prepare(_statements.AnyEvent).First(static _ => true));

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
