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
    internal void Check(ShardPlace place) => ShardStamp.CheckRead(Found(), place, _statements.Journal, HasEvents());

    /// <summary>Within a transaction that may write.</summary>
    /// <exception cref="ShardStampException">The events were written with another map.</exception>
    internal void Write(ShardPlace place)
    {
        if (!ShardStamp.MustStamp(Found(), place, _statements.Journal, HasEvents()))
            return;
        prepare(_statements.Create).Run();
        prepare(_statements.Write).Bind(1, tables.JournalTable).Bind(2, place.Shard).Bind(3, place.Map.ToString()).Run();
    }

    private ShardStamp? Found() => OfTable(
        () => prepare(_statements.Read).Bind(1, tables.JournalTable).First(static row => new ShardStamp((int)row.Integer(0), row.Text(1))));

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
