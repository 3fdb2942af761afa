using Throttled.Journal.Queries;
using Throttled.Journal.Rows;

namespace Throttled.Testing.Scripted;

/// <summary>Enumerates a query without a thread: the test calls it step by step.</summary>
internal class PolledReader<T> : IDisposable
    where T : class
{
    private readonly CancellationTokenSource _cancellation = new();
    private readonly FeedEnumerator<T> _items;
    private ValueTask<bool>? _waiting;

    internal PolledReader(Func<IPageReader<T>, IFeed<T>> open) =>
        _items = new(new OpenedBy<T>(reader => Feed = (JournalFeed<T>)open(reader)), _cancellation.Token);

    /// <param name="query">A query of several feeds.</param>
    internal PolledReader(JournalQuery<T> query) => _items = new(query, _cancellation.Token);

    /// <summary>The feed that it reads, if there is only one.</summary>
    internal JournalFeed<T> Feed { get; private set; } = null!;

    /// <summary>The bytes of the current page; 0 if there is none, or if its memory was reclaimed.</summary>
    internal long BytesAtHand => PageAtHand is { } page && page[0] is not null ? page.Bytes : 0;

    /// <summary>Whether the memory of the current page was reclaimed.</summary>
    internal bool HasLostPage => PageAtHand is { } page && page[0] is null;

    private Page<T>? PageAtHand => FeedInsides<T>.PageOf(ref FeedInsides<T>.CursorOf(_items));

    /// <summary>The items so far.</summary>
    internal List<T> Items { get; } = [];

    internal bool IsCompleted { get; private set; }

    internal Exception? Failure { get; private set; }

    internal bool HasEnded => IsCompleted || Failure is not null || IsClosed;

    internal bool IsClosed { get; private set; }

    internal bool IsWaiting => _waiting is { IsCompleted: false };

    /// <summary>Whether <see cref="World.Settle"/> makes it read on.</summary>
    internal bool IsEager { get; set; } = true;

    /// <summary>Takes one item, or requests it, or gets the end.</summary>
    /// <returns>Whether the step changed anything.</returns>
    internal bool Step()
    {
        if (HasEnded || IsWaiting)
            return false;
        var asked = _waiting ?? _items.MoveNextAsync();
        _waiting = asked;
        if (asked.IsCompleted)
            Take(asked);
        return true;
    }

    internal void Cancel() => _cancellation.Cancel();

    public void Dispose()
    {
        IsClosed = true;
        var closing = _items.DisposeAsync();
        Assert.True(closing.IsCompletedSuccessfully);
    }

    /// <summary>The answer that the reader waited for when it was disposed; null if there is none yet.</summary>
    internal bool? LastAnswer => _waiting is { IsCompletedSuccessfully: true } answer ? answer.Result : null;

    private void Take(ValueTask<bool> answer)
    {
        _waiting = null;
        try
        {
            if (answer.GetAwaiter().GetResult())
                Items.Add(_items.Current);
            else
                IsCompleted = true;
        }
        catch (Exception failure)
        {
            Failure = failure;
        }
    }
}

/// <summary>Enumerates a query for events.</summary>
internal sealed class PolledReader : PolledReader<JournalEvent>
{
    internal PolledReader(JournalEngine engine, ByIdQuery query)
        : base(reader => engine.Open(query, reader)) => Query = query;

    internal PolledReader(JournalEngine engine, OrderedQuery query)
        : base(reader => engine.Open(query, reader)) => Ordered = query;

    internal ByIdQuery Query { get; }

    internal OrderedQuery Ordered { get; }

    internal List<JournalEvent> Events => Items;

    internal IEnumerable<long> SequenceNumbers => Items.Select(row => row.SequenceNumber);

    internal IEnumerable<long> Orderings => Items.Select(row => row.Ordering);
}

/// <summary>A query whose feeds the test creates.</summary>
internal sealed class OpenedBy<T>(Func<IPageReader<T>, JournalFeed<T>> open) : JournalQuery<T>
    where T : class
{
    internal override IFeed<T> Open(IPageReader<T> reader) => open(reader);
}
