using Throttled.Journal.Sharding;

namespace Throttled.Journal;

/// <summary>
/// Opens a journal that is divided among databases by persistence id. Readers and appenders of it are used as those of one database; each shard has
/// permits, rows in memory and retries of its own.
/// </summary>
public static class ShardedJournal
{
    /// <summary>
    /// Opens a reader. Queries by persistence id go to the shard of their id. The others bring each shard's events in its order, and the shards' in the
    /// order in which they arrive; while a shard cannot be read, they bring those of the others.
    /// </summary>
    /// <typeparam name="TDatabase">What names a database: a connection string or a data source.</typeparam>
    /// <param name="databases">The databases, in the order of the shards; from 1 to 1,024.</param>
    /// <param name="open">Opens the reader of one, with the options that it is given: <c>PostgreSqlJournal.OpenReader</c>.</param>
    /// <param name="options">How to read; the limits hold for each shard. The defaults where null.</param>
    /// <param name="map">Which shard has which slices; divided evenly where null.</param>
    /// <exception cref="ArgumentException">
    /// There are no databases, too many, or as many as the map has not; one of them or an option cannot be used; or what is opened was not given the options.
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
    /// Opens an appender, which appends the events of each persistence id to their shard. <see cref="JournalAppender.CreateAsync"/> also writes down
    /// beside each journal which shard of which map it is; without that nothing is appended, and nothing read.
    /// </summary>
    /// <typeparam name="TDatabase">What names a database: a connection string or a data source.</typeparam>
    /// <param name="databases">The databases, in the order of the shards; from 1 to 1,024.</param>
    /// <param name="open">Opens the appender of one: <c>PostgreSqlJournal.OpenAppender</c>.</param>
    /// <param name="tables">The tables to write to; <see cref="JournalTables.Default"/> where null.</param>
    /// <param name="map">Which shard has which slices; divided evenly where null.</param>
    /// <remarks>
    /// A call that appends to several shards is one transaction in each of them. Where some fail, it throws <see cref="ShardedAppendException"/>, which
    /// has the events that were not appended; all events of a persistence id are among them, or none.
    /// </remarks>
    /// <exception cref="ArgumentException">There are no databases, too many, or as many as the map has not; or one of them cannot be used.</exception>
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
                FormattableString.Invariant($"There are {databases.Count} databases, but the map \"{map}\" has {map.Count} shards; they must be as many."), nameof(map));
        return map ?? ShardMap.Even(databases.Count);
    }

    // Where one cannot be opened, those before it are closed again; quickly, because nothing has run on them.
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
            "'open' gave a reader that was not opened with the options it was given; hand them on: (database, options) => SqliteJournal.OpenReader(database, options).");
    }

    private static void Close<T>(T opened)
        where T : IAsyncDisposable => opened.DisposeAsync().AsTask().GetAwaiter().GetResult();
}
