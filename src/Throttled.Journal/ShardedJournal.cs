using Throttled.Journal.Sharding;

namespace Throttled.Journal;

/// <summary>
/// Opens a journal that is divided among databases by persistence id. Use its readers and appenders like those of one database. Each shard has its
/// own permits, rows in memory and retries.
/// </summary>
public static class ShardedJournal
{
    /// <summary>
    /// Opens a reader. Queries by persistence id read the shard of their id. Other queries return the events of each shard in its order and
    /// interleave the shards as their events arrive. If a shard is unavailable, they continue with the other shards.
    /// </summary>
    /// <typeparam name="TDatabase">The type that identifies a database: a connection string or a data source.</typeparam>
    /// <param name="databases">The databases, in the order of the shards; from 1 to 1,024.</param>
    /// <param name="open">Opens the reader of one database with the given options: <c>PostgreSqlJournal.OpenReader</c>.</param>
    /// <param name="options">How to read; the limits apply to each shard. Null for the defaults.</param>
    /// <param name="map">Which shard has which slices. Null divides the slices evenly.</param>
    /// <exception cref="ArgumentException">
    /// There are no databases or too many, or their number differs from the map's. A database or an option is not valid. Or the reader was not opened
    /// with the given options.
    /// </exception>
    public static JournalReader OpenReader<TDatabase>(
        IReadOnlyList<TDatabase> databases, Func<TDatabase, JournalOptions?, JournalReader> open, JournalOptions? options = null, ShardMap? map = null)
    {
        ArgumentNullException.ThrowIfNull(open);
        var shards = Map(databases, map);
        var readers = OpenAll(databases, (database, shard) => Given(open(database, (options ?? new()) with { Shard = new(shards, shard) }), shard));
        return new(new MergedJournal(shards, readers.ConvertAll(reader => reader.Engine)));
    }

    /// <summary>
    /// Opens an appender, which appends each event to the shard of its persistence id. <see cref="JournalAppender.CreateAsync"/> also writes a mark
    /// beside each journal, with the map and the number of the shard. Without the mark, nothing can be appended or read.
    /// </summary>
    /// <typeparam name="TDatabase">The type that identifies a database: a connection string or a data source.</typeparam>
    /// <param name="databases">The databases, in the order of the shards; from 1 to 1,024.</param>
    /// <param name="open">Opens the appender of one database: <c>PostgreSqlJournal.OpenAppender</c>.</param>
    /// <param name="tables">The tables to write to. Null for <see cref="JournalTables.Default"/>.</param>
    /// <param name="map">Which shard has which slices. Null divides the slices evenly.</param>
    /// <remarks>
    /// A call that appends to several shards uses one transaction per shard. If some of them fail, it throws <see cref="ShardedAppendException"/>
    /// with the events that were not appended. For each persistence id, these are all of its events or none.
    /// </remarks>
    /// <exception cref="ArgumentException">There are no databases or too many, or their number differs from the map's, or a database is not valid.</exception>
    public static JournalAppender OpenAppender<TDatabase>(
        IReadOnlyList<TDatabase> databases, Func<TDatabase, JournalTables?, JournalAppender> open, JournalTables? tables = null, ShardMap? map = null)
    {
        ArgumentNullException.ThrowIfNull(open);
        var shards = Map(databases, map);
        return new ShardedAppender(shards, OpenAll(databases, (database, _) => open(database, tables)));
    }

    private static ShardMap Map<TDatabase>(IReadOnlyList<TDatabase> databases, ShardMap? map)
    {
        ArgumentNullException.ThrowIfNull(databases);
        if (databases.Count is 0 or > JournalSlices.Count)
            throw new ArgumentException(
                FormattableString.Invariant($"There are {databases.Count} databases; there must be from 1 to {JournalSlices.Count}."), nameof(databases));
        if (map is not null && map.Count != databases.Count)
            throw new ArgumentException(
                FormattableString.Invariant($"There are {databases.Count} databases, but the map \"{map}\" has {map.Count} shards; the numbers must be equal."), nameof(map));
        return map ?? ShardMap.Even(databases.Count);
    }

    // If a database cannot be opened, those opened before it are closed. This is fast, because nothing has run on them.
    private static List<T> OpenAll<TDatabase, T>(IReadOnlyList<TDatabase> databases, Func<TDatabase, int, T> open)
        where T : IAsyncDisposable
    {
        List<T> opened = [];
        try
        {
            for (var shard = 0; shard < databases.Count; shard++)
                opened.Add(open(databases[shard], shard));
            return opened;
        }
        catch
        {
            opened.ForEach(Close);
            throw;
        }
    }

    private static JournalReader Given(JournalReader reader, int shard)
    {
        if (reader.Journal is JournalEngine { Options.Shard: { } identity } && identity.Shard == shard)
            return reader;
        Close(reader);
        throw new ArgumentException(
            "'open' returned a reader that was opened without the given options. Pass them on: (database, options) => SqliteJournal.OpenReader(database, options).");
    }

    private static void Close<T>(T opened)
        where T : IAsyncDisposable => opened.DisposeAsync().AsTask().GetAwaiter().GetResult();
}
