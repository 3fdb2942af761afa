using Akka.Persistence.Query.Throttled.Envelopes;
using Throttled.Journal.Queries;
using Throttled.Journal.Rows;

namespace Akka.Persistence.Query.Throttled.Tests.Subscriptions;

/// <summary>A random query: some rows, each of them decoded to none, one or several items, and an end.</summary>
internal sealed class SimulatedQuery : IFeed<JournalEvent>, IItemDecoder<JournalEvent, string>
{
    private readonly Random _random;
    private readonly JournalEvent[] _rows;
    private readonly int[] _itemsOf;
    private readonly QueryEnd _end;
    private IPageReader<JournalEvent> _reader = null!;
    private Page<JournalEvent>? _given;
    private int _next;

    internal SimulatedQuery(Random random)
    {
        _random = random;
        _rows = [.. Enumerable.Range(1, random.Next(12)).Select(number => new JournalEvent { PersistenceId = "a", SequenceNumber = number, Payload = new byte[1] })];
        _itemsOf = [.. _rows.Select(_ => random.Next(4))];
        _end = (QueryEnd)random.Next(5);
    }

    /// <summary>How a query ends.</summary>
    private enum QueryEnd
    {
        Live,
        Complete,
        WithLastPage,
        AfterLastPage,
        Fail,
    }

    internal bool IsLive => _end == QueryEnd.Live;

    /// <summary>Whether the last item is known to be the last one, so that the end needs no further demand.</summary>
    internal bool EndsWithLastItem => _end == QueryEnd.WithLastPage && _itemsOf is [.., > 0];

    internal bool Fails => _end == QueryEnd.Fail;

    internal bool IsDemanding { get; private set; }

    internal bool IsClosed { get; private set; }

    /// <summary>Called for each row that is decoded, and for each demand.</summary>
    internal Action Decoding { get; set; } = () => { };

    internal Action Demanded { get; set; } = () => { };

    /// <summary>All items of the query, in order.</summary>
    internal IEnumerable<string> Items => _rows.SelectMany(ItemsOf);

    internal IFeed<JournalEvent> Open(IPageReader<JournalEvent> reader)
    {
        _reader = reader;
        return this;
    }

    public void Demand()
    {
        Assert.False(IsDemanding, "There are two demands at once.");
        Assert.False(IsClosed, "There is a demand after the end.");
        IsDemanding = true;
        Demanded();
        // A merged feed may answer at once.
        if (_random.Next(3) == 0)
            Answer();
    }

    public void DemandAfter(JournalEvent last)
    {
        _next = (int)last.SequenceNumber;
        Demand();
    }

    public void Close(Exception? failure = null)
    {
        IsClosed = true;
        if (!IsDemanding)
            return;
        IsDemanding = false;
        _reader.Complete();
    }

    /// <summary>Answers an open demand, if the query has something to answer.</summary>
    internal void Answer()
    {
        if (!IsDemanding || (_next == _rows.Length && IsLive))
            return;
        IsDemanding = false;
        if (_next < _rows.Length)
            Give(_rows[_next..Math.Min(_rows.Length, _next + _random.Next(1, 5))]);
        else if (Fails)
            _reader.Fail(new InvalidOperationException("The query fails."));
        else
            _reader.Complete();
    }

    /// <summary>Reclaims the reader's page, or says that it was the last one.</summary>
    internal void Disturb()
    {
        if (_given is null || IsDemanding)
            return;
        if (_end == QueryEnd.AfterLastPage && _next == _rows.Length)
            _reader.Ended(_given);
        else
            _given.Reclaim();
    }

    public string? Decode(JournalEvent item, out Queue<string>? rest)
    {
        Decoding();
        var items = new Queue<string>(ItemsOf(item));
        rest = items;
        return items.TryDequeue(out var first) ? first : null;
    }

    private IEnumerable<string> ItemsOf(JournalEvent row) => Enumerable.Range(1, _itemsOf[row.SequenceNumber - 1]).Select(part => $"{row.SequenceNumber}.{part}");

    private void Give(JournalEvent[] rows)
    {
        _next += rows.Length;
        _given = new Page<JournalEvent>(rows, 1) { EndsQuery = _end == QueryEnd.WithLastPage && _next == _rows.Length };
        _reader.Receive(_given);
    }
}
