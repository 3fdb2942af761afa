using Npgsql;
using Throttled.Journal.Sql;

namespace Throttled.Journal.PostgreSql;

/// <summary>Gathers what the statements of one look find.</summary>
internal sealed class PostgreSqlLook(KeysQuery query, PostgreSqlRows rows, bool hasTagsColumn)
{
    private readonly List<JournalKey> _above = [];
    private readonly List<JournalKey> _late = [];
    private readonly Dictionary<long, IReadOnlyList<string>> _tags = [];
    private readonly RowTexts _texts = new();
    private bool _hasRoom = true;

    /// <summary>Whether there is no row at the position.</summary>
    internal bool IsPositionGone => query.From > 0 && (_above.Count == 0 || _above[0].Ordering != query.From);

    /// <summary>The tags of the keys, where they do not come with the rows.</summary>
    internal Dictionary<long, IReadOnlyList<string>> Tags => _tags;

    /// <summary>The orderings of keys whose tags do not come with the rows.</summary>
    internal IEnumerable<long> Untagged =>
        (query.Rows is null ? _late.Concat(_above.Where(key => key.Ordering != query.From)) : _late).Select(key => key.Ordering);

    /// <summary>Takes a row of keys.</summary>
    internal bool TakeKey(NpgsqlDataReader row)
    {
        var key = PostgreSqlRows.Key(row);
        _above.Add(key);
        if (key.Ordering != query.From)
            TakeTags(row, key);
        return true;
    }

    /// <summary>Takes a row of keys that were missing.</summary>
    internal bool TakeLate(NpgsqlDataReader row)
    {
        var key = PostgreSqlRows.Key(row);
        _late.Add(key);
        TakeTags(row, key);
        return true;
    }

    /// <summary>Takes a whole row.</summary>
    internal bool TakeRow(NpgsqlDataReader row)
    {
        var ordering = row.GetInt64(0);
        var isEvent = !PostgreSqlRows.IsDeleted(row, first: 0) && ordering != query.From;
        var id = row.GetString(2);
        _above.Add(new(ordering, id, PostgreSqlRows.SequenceNumber(row, first: 0)));
        if (isEvent)
            _hasRoom = query.Rows!.Add(rows.Event(row, first: 0, _texts, new(ordering, id)));
        // At its last row the statement ends by itself.
        return _hasRoom || _above.Count >= query.Limit;
    }

    internal KeysFound Found(IReadOnlySet<string>? holders, long? lastGivenOut, string? server) => new(_above, _late, holders)
    {
        Server = server,
        IsCut = !_hasRoom || _above.Count >= query.Limit || _late.Count >= query.Limit,
        LastGivenOut = lastGivenOut,
        Tags = _tags,
    };

    private void TakeTags(NpgsqlDataReader row, JournalKey key)
    {
        if (hasTagsColumn && rows.Tags(row, 3) is { Count: > 0 } tags)
            _tags[key.Ordering] = tags;
    }
}
