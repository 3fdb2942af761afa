using System.Runtime.InteropServices;
using Npgsql;
using NpgsqlTypes;
using Throttled.Journal.Sql;

namespace Throttled.Journal.PostgreSql;

/// <summary>
/// Decodes rows of <see cref="JournalStatements.RowColumns"/> and reads their tags. Orderings below the tag horizon are known
/// to have none. Thread-safe.
/// </summary>
internal sealed class PostgreSqlRows(JournalTables tables, PostgreSqlStatements statements)
{
    private readonly bool _csv = tables.TagMode == TagMode.Csv;
    private long _tagHorizon;

    /// <summary>The ordering below which no event has a tag.</summary>
    internal long TagHorizon
    {
        get => Volatile.Read(ref _tagHorizon);
        set => Volatile.Write(ref _tagHorizon, value);
    }

    internal static JournalKey Key(NpgsqlDataReader row) => new(row.GetInt64(0), row.GetString(1), row.GetInt64(2));

    /// <param name="row">The reader, on the row.</param>
    /// <param name="first">The index of the first of the columns.</param>
    internal static bool IsDeleted(NpgsqlDataReader row, int first) => row.GetBoolean(first + 1);

    internal static long SequenceNumber(NpgsqlDataReader row, int first) => row.GetInt64(first + 3);

    /// <param name="row">The reader, on the row.</param>
    /// <param name="first">The index of the first of the columns.</param>
    /// <param name="texts">Manifests and tags that were read before.</param>
    /// <param name="known">The columns that were read already; null reads them.</param>
    internal JournalEvent Event(NpgsqlDataReader row, int first, LastText texts, KnownColumns? known = null) => new()
    {
        Ordering = known?.Ordering ?? row.GetInt64(first),
        PersistenceId = known?.PersistenceId ?? row.GetString(first + 2),
        SequenceNumber = SequenceNumber(row, first),
        Timestamp = row.GetInt64(first + 4),
        Payload = row.GetFieldValue<byte[]>(first + 5),
        SerializerId = row.IsDBNull(first + 6) ? null : row.GetInt32(first + 6),
        Manifest = row.IsDBNull(first + 7) ? "" : texts.Read(row, first + 7),
        Tags = _csv && !row.IsDBNull(first + 8) ? CsvTags.Parse(row.GetString(first + 8), tables.TagSeparator) : [],
    };

    /// <summary>Reads the tags of events from the tag table, where that is where they are and some event may have one.</summary>
    /// <exception cref="MissingTagTableException">There is no such table.</exception>
    internal async Task ReadTagsAsync(
        PostgreSqlSession session, Func<long, List<JournalEvent>> eventsFrom, CancellationToken cancellation)
    {
        if (_csv)
            return;
        var asked = eventsFrom(TagHorizon);
        if (asked.Count == 0)
            return;
        try
        {
            var orderings = asked.ConvertAll(one => one.Ordering).ToArray();
            var command = await session.CommandAsync(statements.Tags, cancellation, Orderings(orderings)).ConfigureAwait(false);
            var tags = new TagsOfRows(asked);
            await PostgreSqlSession.ReadAsync(command, tags.Take, cancellation).ConfigureAwait(false);
            tags.Complete();
        }
        catch (PostgresException error) when (error.SqlState == PostgresErrorCodes.UndefinedTable)
        {
            throw Missing(error);
        }
    }

    /// <summary>Learns the tag horizon anew.</summary>
    internal async Task ReadHorizonAsync(PostgreSqlSession session, long settled, CancellationToken cancellation)
    {
        try
        {
            var command = await session.CommandAsync(statements.FirstTagged, cancellation).ConfigureAwait(false);
            var first = await PostgreSqlSession.ScalarAsync(command, cancellation).ConfigureAwait(false) as long?;
            TagHorizon = Math.Min(settled + 1, first ?? long.MaxValue);
        }
        catch (PostgresException error) when (error.SqlState == PostgresErrorCodes.UndefinedTable)
        {
            throw Missing(error);
        }
    }

    internal static NpgsqlParameter<long[]> Orderings(long[] orderings) =>
        new() { TypedValue = orderings, NpgsqlDbType = NpgsqlDbType.Array | NpgsqlDbType.Bigint };

    /// <summary>Columns of a row that its reader has at hand.</summary>
    internal readonly record struct KnownColumns(long Ordering, string PersistenceId);

    private MissingTagTableException Missing(PostgresException error) =>
        new(new PostgreSqlDialect().Table(tables.Schema, tables.TagTable), error);

    // Rows of one event follow one another; where they should not, the tags are added up all the same.
    private sealed class TagsOfRows(List<JournalEvent> events)
    {
        private readonly Dictionary<string, string> _known = new(StringComparer.Ordinal);
        private readonly List<string> _tags = [];
        private long _place;

        internal bool Take(NpgsqlDataReader row)
        {
            var place = row.GetInt64(0);
            if (place != _place)
                Complete();
            _place = place;
            var tag = row.GetString(1);
            _tags.Add(CollectionsMarshal.GetValueRefOrAddDefault(_known, tag, out _) ??= tag);
            return true;
        }

        internal void Complete()
        {
            if (_tags.Count == 0)
                return;
            var tagged = events[checked((int)_place) - 1];
            tagged.Tag([.. tagged.Tags, .. _tags]);
            _tags.Clear();
        }
    }
}
