using System.Data.Common;
using Throttled.Journal.Rows;

namespace Throttled.Journal.Relational;

/// <summary>Collects the results of the statements of one poll.</summary>
internal sealed class KeysPoll<TReader>(KeysRequest request)
    where TReader : DbDataReader
{
    private readonly List<JournalKey> _above = [];
    private readonly List<JournalKey> _late = [];
    private readonly Dictionary<long, IReadOnlyList<string>> _tags = [];
    private bool _hasRoom = true;

    /// <summary>Decodes the event of a whole row. The ordering and the persistence id were already read from it.</summary>
    internal required Func<TReader, JournalKey, JournalEvent> EventOf { get; init; }

    /// <summary>Decodes the tags column after the key columns; null if there is none.</summary>
    internal Func<TReader, IReadOnlyList<string>>? TagsOf { get; init; }

    /// <summary>Whether there is no row at the position.</summary>
    internal bool IsPositionGone => request.From > 0 && (_above.Count == 0 || _above[0].Ordering != request.From);

    /// <summary>The tags of the keys, if they do not come with the rows.</summary>
    internal Dictionary<long, IReadOnlyList<string>> Tags => _tags;

    /// <summary>The orderings of keys whose tags do not come with the rows.</summary>
    internal IEnumerable<long> Untagged =>
        (request.Rows is null ? _late.Concat(_above.Where(key => key.Ordering != request.From)) : _late).Select(key => key.Ordering);

    /// <summary>Takes in a row with a key at or above the position.</summary>
    /// <returns>Always true: all keys are needed.</returns>
    internal bool TakeKey(TReader row)
    {
        var key = RowDecoder.Key(row);
        _above.Add(key);
        if (key.Ordering != request.From)
            TakeTags(row, key);
        return true;
    }

    /// <summary>Takes in a row with a key in a gap.</summary>
    /// <returns>Always true: all keys are needed.</returns>
    internal bool TakeLate(TReader row)
    {
        var key = RowDecoder.Key(row);
        _late.Add(key);
        TakeTags(row, key);
        return true;
    }

    /// <summary>Takes in a whole row at or above the position.</summary>
    /// <returns>False if the statement must be stopped, because the byte budget is exhausted.</returns>
    internal bool TakeRow(TReader row)
    {
        // Read the columns in their order. In some drivers, going back in a row costs a new search.
        var ordering = row.GetInt64(0);
        var isEvent = !RowDecoder.IsDeleted(row, first: 0) && ordering != request.From;
        var id = row.GetString(2);
        var key = new JournalKey(ordering, id, RowDecoder.SequenceNumber(row, first: 0));
        _above.Add(key);
        if (isEvent)
            _hasRoom = request.Rows!.Add(EventOf(row, key));
        // After the last row, the statement ends by itself.
        return _hasRoom || _above.Count >= request.Limit;
    }

    internal KeysResult ToResult(IReadOnlySet<string>? openTransactions, long? lastIssued, string? server) => new(_above, _late, openTransactions)
    {
        Server = server,
        IsTruncated = !_hasRoom || _above.Count >= request.Limit || _late.Count >= request.Limit,
        LastIssued = lastIssued,
        Tags = _tags,
    };

    private void TakeTags(TReader row, JournalKey key)
    {
        if (TagsOf?.Invoke(row) is { Count: > 0 } tags)
            _tags[key.Ordering] = tags;
    }
}
