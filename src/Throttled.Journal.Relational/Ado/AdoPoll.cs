using System.Data.Common;
using Throttled.Journal.Rows;

namespace Throttled.Journal.Relational;

/// <summary>
/// Runs the tail's statements. The statements of one poll run one after the other. Each sees what was committed before it, and
/// the open transactions are read after the keys.
/// </summary>
internal abstract class AdoPoll(AdoContext context)
{
    private readonly AdoDialect _dialect = context.Dialect;

    protected AdoContext Context { get; } = context;

    internal async Task<TailStart> ReadStartAsync(IAdoSession session, CancellationToken cancellation)
    {
        var last = await session.RowAsync<JournalKey?>(Context.Sql.LastKey, row => Context.NewDecoder().Key(row), cancellation).ConfigureAwait(false);
        var (openTransactions, refusal) = await ReadOpenTransactionsAsync(session, cancellation).ConfigureAwait(false);
        return new(last, openTransactions) { OrderRefusal = refusal };
    }

    internal async Task<KeysResult> ReadKeysAsync(IAdoSession session, KeysRequest request, CancellationToken cancellation)
    {
        var isTagged = Context.IsCsv && request.WithTags;
        var keys = isTagged ? Context.Sql.TaggedKeys : Context.Sql.Keys;
        var poll = new KeysPoll(request, Context.NewDecoder(), isTagged);
        var (from, limit) = (_dialect.Of(request.From), _dialect.Of(request.Limit));
        await (request.Rows is null
            ? session.ReadAsync(keys.From, poll.TakeKey, cancellation, from, limit)
            : session.ReadAsync(Context.Sql.RowsFrom, poll.TakeRow, cancellation, from, limit)).ConfigureAwait(false);
        if (request.Gaps.Count > 0)
        {
            DbParameter[] gaps = [.. Gaps(request.Gaps), _dialect.Of(request.Limit)];
            await (request.Rows is { IsStopped: false } && RowsInGaps is { } rows
                ? session.ReadAsync(rows, poll.TakeLateRow, cancellation, gaps)
                : session.ReadAsync(keys.InGaps, poll.TakeLate, cancellation, gaps)).ConfigureAwait(false);
        }
        if (request.WithTags && !Context.IsCsv)
            await Context.Tags.ReadAsync(session, poll.Untagged, poll.Tags, cancellation).ConfigureAwait(false);
        if (request.Rows is { } wanted && !Context.IsCsv)
            await Context.Tags.ReadAsync(session, wanted.EventsFrom, cancellation).ConfigureAwait(false);
        var (openTransactions, refusal) = poll.WantsOpenTransactions ? await ReadOpenTransactionsAsync(session, cancellation).ConfigureAwait(false) : default;
        var last = poll.IsPositionGone ? await ReadLastIssuedAsync(session, cancellation).ConfigureAwait(false) : null;
        return poll.ToResult(openTransactions, last, session.Server) with { OrderRefusal = refusal };
    }

    internal async Task ReadRowsAsync(IAdoSession session, TailRows wanted, CancellationToken cancellation)
    {
        var decoder = Context.NewDecoder();
        await session.ReadAsync(Context.Sql.Rows, Take, cancellation, _dialect.Of(wanted.Orderings)).ConfigureAwait(false);
        if (!Context.IsCsv)
            await Context.Tags.ReadAsync(session, wanted.EventsFrom, cancellation).ConfigureAwait(false);

        bool Take(DbDataReader row)
        {
            var ordering = row.GetInt64(0);
            return RowDecoder.IsDeleted(row, first: 0) || wanted.Add(decoder.Event(row, first: 0, ordering));
        }
    }

    /// <summary>Reads whole rows, with the parameters of <see cref="KeySql.InGaps"/>. Null if they are read by their orderings, after their keys.</summary>
    protected virtual string? RowsInGaps => null;

    /// <summary>The values of <see cref="KeySql.InGaps"/>, without the limit.</summary>
    protected abstract DbParameter[] Gaps(IReadOnlyList<OrderingRange> gaps);

    /// <summary>The open transactions, as in <see cref="TailStart.OpenTransactions"/>, and the refusal of <see cref="TailStart.OrderRefusal"/>.</summary>
    protected abstract Task<(IReadOnlySet<string>? OpenTransactions, string? Refusal)> ReadOpenTransactionsAsync(
        IAdoSession session, CancellationToken cancellation);

    /// <summary>As <see cref="KeysResult.LastIssued"/>.</summary>
    protected abstract Task<long?> ReadLastIssuedAsync(IAdoSession session, CancellationToken cancellation);
}

/// <summary>Collects the results of the statements of one poll.</summary>
/// <param name="request">The request.</param>
/// <param name="decoder">Decodes the rows.</param>
/// <param name="withTags">Whether the tags column follows the key columns.</param>
internal sealed class KeysPoll(KeysRequest request, RowDecoder decoder, bool withTags)
{
    private readonly List<JournalKey> _above = [];
    private readonly List<JournalKey> _late = [];
    private readonly Dictionary<long, IReadOnlyList<string>> _tags = [];
    private readonly List<long> _untagged = [];
    private bool _hasRoom = true;
    private bool _isStopped;

    /// <summary>Whether there is no row at the position.</summary>
    internal bool IsPositionGone => request.From > 0 && (_above.Count == 0 || _above[0].Ordering != request.From);

    /// <summary>The tags of the keys, if they do not come with the rows.</summary>
    internal Dictionary<long, IReadOnlyList<string>> Tags => _tags;

    /// <summary>The orderings of keys whose tags do not come with the rows.</summary>
    internal IEnumerable<long> Untagged => _untagged;

    /// <summary>Whether to read the open transactions now.</summary>
    internal bool WantsOpenTransactions =>
        request.WithOpenTransactions && !(request.OnlyForGaps && _late.Count == request.Gaps.Sum(gap => gap.Last - gap.First + 1));

    /// <summary>Takes in a row with a key at or above the position.</summary>
    /// <returns>Always true: all keys are needed.</returns>
    internal bool TakeKey(DbDataReader row)
    {
        var key = decoder.Key(row);
        _above.Add(key);
        if (key.Ordering != request.From)
            TakeTags(key.Ordering, withTags ? decoder.Tags(row, 3) : null);
        return true;
    }

    /// <summary>Takes in a row with a key in a gap.</summary>
    /// <returns>Always true: all keys are needed.</returns>
    internal bool TakeLate(DbDataReader row)
    {
        var key = decoder.Key(row);
        _late.Add(key);
        TakeTags(key.Ordering, withTags ? decoder.Tags(row, 3) : null);
        return true;
    }

    /// <summary>Takes in a whole row at or above the position.</summary>
    /// <returns>False if the statement must be stopped, because the byte budget is exhausted.</returns>
    internal bool TakeRow(DbDataReader row)
    {
        Take(row, _above);
        _isStopped = !_hasRoom;
        // After the last row, the statement ends by itself.
        return _hasRoom || _above.Count >= request.Limit;
    }

    /// <summary>Takes in a whole row in a gap. If there is no room for it, the tail reads it later.</summary>
    /// <returns>Always true: all keys are needed.</returns>
    internal bool TakeLateRow(DbDataReader row)
    {
        if (Take(row, _late) is { } withoutRoom)
            TakeTags(withoutRoom.Ordering, withoutRoom.Tags);
        return true;
    }

    // Returns an event for which there is no room.
    private JournalEvent? Take(DbDataReader row, List<JournalKey> keys)
    {
        // Read the columns in their order. In some drivers, going back in a row costs a new search.
        var ordering = row.GetInt64(0);
        var isEvent = !RowDecoder.IsDeleted(row, first: 0) && ordering != request.From;
        var id = row.GetString(2);
        keys.Add(new(ordering, id, RowDecoder.SequenceNumber(row, first: 0)));
        var read = isEvent ? decoder.Event(row, first: 0, ordering, id) : null;
        if (read is null || !_hasRoom)
            return read;
        _hasRoom = request.Rows!.Add(read);
        return null;
    }

    internal KeysResult ToResult(IReadOnlySet<string>? openTransactions, long? lastIssued, string? server) => new(_above, _late, openTransactions)
    {
        Server = server,
        IsTruncated = _isStopped || _above.Count >= request.Limit || _late.Count >= request.Limit,
        LastIssued = lastIssued,
        Tags = _tags,
    };

    private void TakeTags(long ordering, IReadOnlyList<string>? tags)
    {
        _untagged.Add(ordering);
        if (tags is { Count: > 0 })
            _tags[ordering] = tags;
    }
}
