using Throttled.Journal.Queries;
using Throttled.Journal.Rows;

namespace Throttled.Journal.Tests.Sharding;

/// <summary>The query of one shard, which brings its items as a test says, and holds its reader to one demand at a time.</summary>
/// <param name="items">What it has to bring.</param>
/// <param name="isLive">Whether it goes on at their end.</param>
internal sealed class ScriptedFeed(IReadOnlyList<string> items, bool isLive = false) : JournalQuery<string>, IFeed<string>
{
    private IPageReader<string> _reader = null!;
    private Page<string>? _page;
    private int _position;

    internal bool IsDemanding { get; private set; }

    internal bool IsClosed { get; private set; }

    /// <summary>Whether it brought a page, and was asked for no other since.</summary>
    internal bool HasPage => _page is not null;

    internal int Demands { get; private set; }

    internal bool IsAtEnd => _position == items.Count;

    internal bool CanBring => IsDemanding && !IsAtEnd;

    internal bool CanComplete => IsDemanding && ((IsAtEnd && !isLive) || IsClosed);

    /// <summary>Whether its last page says that it is the last.</summary>
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

    // On its own loop it may be told of that after it has answered: what it says from now on is the test's to say.
    public void Close(Exception? failure = null) => IsClosed = true;

    /// <summary>Brings the next items.</summary>
    internal void Bring(int count = 1)
    {
        string[] next = [.. items.Skip(_position).Take(count)];
        _position += next.Length;
        var page = new Page<string>(next, 1) { EndsQuery = MarksItsEnd && IsAtEnd && !isLive };
        _page = page;
        Answer();
        _reader.Receive(page);
    }

    /// <summary>The page that it brought last is forgotten.</summary>
    internal void Forget() => _page?.Reclaim();

    internal void Complete()
    {
        Answer();
        _reader.Complete();
    }

    /// <summary>Tells its reader that the page that it brought was its last.</summary>
    internal void ReportEnd() => _reader.Ended(_page!);

    internal void Fail(Exception error)
    {
        IsClosed = true;
        Answer();
        _reader.Fail(error);
    }

    private void Answer()
    {
        Assert.True(IsDemanding, "The test answers what was not asked.");
        IsDemanding = false;
    }
}
