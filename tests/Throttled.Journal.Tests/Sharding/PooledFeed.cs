using Throttled.Journal.Queries;
using Throttled.Journal.Rows;

namespace Throttled.Journal.Tests.Sharding;

/// <summary>The query of one shard. It delivers its pages on pool threads, and discards some while they are read.</summary>
internal sealed class PooledFeed(string[] items, Random random) : JournalQuery<string>, IFeed<string>
{
    private IPageReader<string> _reader = null!;
    private int _position;
    private bool _isClosed;

    internal override IFeed<string> Open(IPageReader<string> reader)
    {
        _reader = reader;
        return this;
    }

    public void Demand() => ThreadPool.UnsafeQueueUserWorkItem(static self => self.Answer(), this, preferLocal: false);

    public void DemandAfter(string last)
    {
        _position = Array.IndexOf(items, last) + 1;
        Demand();
    }

    public void Close(Exception? failure = null) => Volatile.Write(ref _isClosed, true);

    private void Answer()
    {
        string[] next = [.. items.Skip(_position).Take(random.Next(1, 8))];
        if (next.Length == 0 || Volatile.Read(ref _isClosed))
        {
            _reader.Complete();
            return;
        }
        _position += next.Length;
        var page = new Page<string>(next, 1) { EndsQuery = _position == items.Length };
        var forgets = random.Next(4) == 0;
        _reader.Receive(page);
        if (forgets)
            page.Reclaim();
    }
}
