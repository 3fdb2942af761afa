using Throttled.Journal.Queries;
using Throttled.Journal.Rows;

namespace Throttled.Journal.Sharding;

/// <summary>
/// One query over several shards. It delivers whole pages, in the order in which the shards return them. After its page was delivered, a shard must
/// return another page before its next turn. So each shard keeps its order, no shard starves another, and memory holds one page per shard. While a
/// shard is unavailable, the others continue. Thread-safe.
/// </summary>
internal sealed class MergedFeed<T> : IFeed<T>
    where T : class
{
    private readonly Lock _lock = new();
    private readonly IPageReader<T> _reader;
    private readonly Func<int, T, Exception?>? _refuse;
    private readonly Part[] _parts;
    private readonly Queue<Part> _pending = new();
    private Part? _delivered;
    private Page<T>? _deliveredPage;
    private int _open;
    private bool _isDemanding;
    private bool _isStarted;
    private bool _isClosed;
    private Exception? _failure;

    /// <param name="queries">The query of each shard; at least one.</param>
    /// <param name="reader">The reader of the merged query.</param>
    /// <param name="refuse">Checks an item of the query with the given index. If it returns an exception, the merged query fails. Null for no check.</param>
    internal MergedFeed(IReadOnlyList<JournalQuery<T>> queries, IPageReader<T> reader, Func<int, T, Exception?>? refuse = null)
    {
        _reader = reader;
        _refuse = refuse;
        _open = queries.Count;
        _parts = [.. queries.Select((_, shard) => new Part(this, shard))];
        for (var i = 0; i < _parts.Length; i++)
            _parts[i].Feed = queries[i].Open(_parts[i]);
    }

    public void Demand()
    {
        lock (_lock)
        {
            if (_delivered is { EndsShard: true } ended)
                CloseShard(ended);
            else
                _delivered?.Feed.Demand();
            Demanded();
        }
    }

    public void DemandAfter(T last)
    {
        lock (_lock)
        {
            _delivered!.Feed.DemandAfter(last);
            Demanded();
        }
    }

    public void Close(Exception? failure = null)
    {
        lock (_lock)
        {
            if (!_isClosed)
                End(failure);
        }
    }

    // The shard has delivered all its events. If its feed stayed open, its last page would count in the byte budget until the other shards end.
    private void CloseShard(Part ended)
    {
        _open--;
        ended.Feed.Close();
    }

    private void Demanded()
    {
        _delivered = null;
        _deliveredPage = null;
        _isDemanding = true;
        if (!_isStarted && !_isClosed)
        {
            _isStarted = true;
            foreach (var part in _parts)
                part.Feed.Demand();
        }
        Answer();
    }

    private void PageReceived(int shard, Part part, Page<T> page)
    {
        if (_refuse is not null && Refusal(shard, page) is { } refusal)
        {
            Close(refusal);
            return;
        }
        lock (_lock)
        {
            if (_isClosed)
                return;
            part.Page = page;
            part.EndsShard = page.EndsQuery;
            _pending.Enqueue(part);
            Answer();
        }
    }

    private Exception? Refusal(int shard, Page<T> page)
    {
        Exception? refusal = null;
        for (var i = 0; refusal is null && i < page.Count; i++)
            refusal = page[i] is { } item ? _refuse!(shard, item) : null;
        return refusal;
    }

    private void Completed()
    {
        lock (_lock)
        {
            _open--;
            Answer();
            NotifyEnd();
        }
    }

    private void Ended(Part part)
    {
        lock (_lock)
        {
            part.EndsShard = true;
            NotifyEnd();
        }
    }

    // The reader's page was the last one of its shard, and since its delivery all other shards have ended.
    private void NotifyEnd()
    {
        if (!_isClosed && _open == 1 && _delivered is { EndsShard: true } && _deliveredPage is { EndsQuery: false } page)
            _reader.Ended(page);
    }

    private void End(Exception? failure)
    {
        _isClosed = true;
        _deliveredPage = null;
        _failure = failure;
        _pending.Clear();
        foreach (var part in _parts)
        {
            part.Page = null;
            part.Feed.Close();
        }
        Answer();
    }

    private void Answer()
    {
        if (!_isDemanding || (!_isClosed && _pending.Count == 0 && _open > 0))
            return;
        _isDemanding = false;
        if (_failure is { } failure)
        {
            _failure = null;
            _reader.Fail(failure);
        }
        else if (_pending.TryDequeue(out var part))
            Deliver(part);
        else
            _reader.Complete();
    }

    private void Deliver(Part part)
    {
        _delivered = part;
        var page = part.Page!;
        part.Page = null;
        page.EndsQuery = part.EndsShard && _open == 1;
        _deliveredPage = page;
        _reader.Receive(page);
    }

    private sealed class Part(MergedFeed<T> merged, int shard) : IPageReader<T>
    {
        internal IFeed<T> Feed { get; set; } = null!;

        /// <summary>The page that waits for delivery; null if there is none.</summary>
        internal Page<T>? Page { get; set; }

        /// <summary>Whether the last page that the shard returned ends its query.</summary>
        internal bool EndsShard { get; set; }

        public void Receive(Page<T> page) => merged.PageReceived(shard, this, page);

        public void Complete() => merged.Completed();

        public void Ended(Page<T> page) => merged.Ended(this);

        public void Fail(Exception error) => merged.Close(error);
    }
}

/// <summary>A <see cref="MergedFeed{T}"/> as a stream.</summary>
internal sealed class MergedQuery<T>(IReadOnlyList<JournalQuery<T>> queries, Func<int, T, Exception?>? refuse = null) : JournalQuery<T>
    where T : class
{
    internal override IFeed<T> Open(IPageReader<T> reader) => new MergedFeed<T>(queries, reader, refuse);
}
