using Throttled.Journal.Queries;
using Throttled.Journal.Rows;
using Throttled.Journal.Sharding;

namespace Throttled.Journal.Tests.Sharding;

/// <summary>Reads a merged query item by item, as all readers do, and records its notifications.</summary>
internal sealed class ScriptedReader : IPageReader<string>
{
    private PageCursor<string> _cursor;

    internal ScriptedReader(params IReadOnlyList<JournalQuery<string>> shards) => Feed = new MergedQuery<string>(shards).Open(this);

    internal IFeed<string> Feed { get; }

    internal List<string> Items { get; } = [];

    internal bool IsWaiting { get; private set; }

    internal int Completions { get; private set; }

    internal List<Exception> Failures { get; } = [];

    /// <summary>Whether it was notified that nothing follows the item that it read last.</summary>
    internal bool IsAtEnd => _cursor.IsAtEnd;

    internal bool HasEnded => Completions > 0 || Failures.Count > 0;

    /// <summary>Called with each page while it is delivered.</summary>
    internal Action<string> Given { get; set; } = _ => { };

    /// <summary>Takes the next item of the current page, or requests the next page.</summary>
    internal void Step()
    {
        Assert.False(IsWaiting, "It waits already.");
        if (_cursor.MoveNext())
            Items.Add(_cursor.Current!);
        else
        {
            IsWaiting = true;
            _cursor.Demand(Feed);
        }
    }

    /// <summary>Reads until it has to wait.</summary>
    internal void ReadOn()
    {
        while (!IsWaiting && !HasEnded)
            Step();
    }

    public void Receive(Page<string> page)
    {
        Answered();
        _cursor.Receive(page);
        Items.Add(_cursor.Current!);
        Given(_cursor.Current!);
    }

    public void Complete()
    {
        Answered();
        Completions++;
    }

    public void Ended(Page<string> page)
    {
        Assert.False(page.EndsQuery, "It knew that already.");
        page.EndsQuery = true;
    }

    public void Fail(Exception error)
    {
        Answered();
        Failures.Add(error);
    }

    private void Answered()
    {
        Assert.True(IsWaiting, "A notification without a demand.");
        IsWaiting = false;
    }
}
