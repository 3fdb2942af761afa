using Throttled.Journal.Queries;
using Throttled.Journal.Rows;

namespace Throttled.Journal.Tests.Sharding;

/// <summary>The query of one shard. It delivers items when the test says so, and checks that its reader has one demand at a time.</summary>
/// <param name="items">All items that it can deliver.</param>
/// <param name="isLive">Whether it stays open after the last item.</param>
internal sealed class ScriptedFeed(IReadOnlyList<string> items, bool isLive = false) : JournalQuery<string>, IFeed<string>
{
    private IPageReader<string> _reader = null!;
    private Page<string>? _page;
    private int _position;

    internal bool IsDemanding { get; private set; }

    internal bool IsClosed { get; private set; }

    /// <summary>Whether it delivered a page and got no demand since.</summary>
    internal bool HasPage => _page is not null;

    internal int Demands { get; private set; }

    internal bool IsAtEnd => _position == items.Count;

    internal bool CanBring => IsDemanding && !IsAtEnd;

    internal bool CanComplete => IsDemanding && ((IsAtEnd && !isLive) || IsClosed);

    /// <summary>Whether its last page is marked as the last.</summary>
    internal bool MarksItsEnd { get; init; }

    internal override IFeed<string> Open(IPageReader<string> reader)
    {
        _reader = reader;
        return this;
    }

    public void Demand()
    {
        Demands++;
        Assert.False(IsDemanding, "A second demand before the first was answered.");
        _page = null;
        IsDemanding = true;
    }

    public void DemandAfter(string last)
    {
        _position = items.ToList().IndexOf(last) + 1;
        Demand();
    }

    // A shard's loop may learn of the close after it has answered, so the test decides what the shard still reports.
    public void Close(Exception? failure = null) => IsClosed = true;

    internal void Bring(int count = 1)
    {
        string[] next = [.. items.Skip(_position).Take(count)];
        _position += next.Length;
        var page = new Page<string>(next, 1) { EndsQuery = MarksItsEnd && IsAtEnd && !isLive };
        _page = page;
        Answer();
        _reader.Receive(page);
    }

    /// <summary>Discards the page that it delivered last.</summary>
    internal void Forget() => _page?.Reclaim();

    internal void Complete()
    {
        Answer();
        _reader.Complete();
    }

    /// <summary>Notifies its reader that the page that it delivered was its last.</summary>
    internal void ReportEnd() => _reader.Ended(_page!);

    internal void Fail(Exception error)
    {
        IsClosed = true;
        Answer();
        _reader.Fail(error);
    }

    private void Answer()
    {
        Assert.True(IsDemanding, "The test answers without a demand.");
        IsDemanding = false;
    }
}
