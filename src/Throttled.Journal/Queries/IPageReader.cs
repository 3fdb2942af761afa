using Throttled.Journal.Pages;

namespace Throttled.Journal.Queries;

/// <summary>
/// Who reads a feed, a page for each demand. Called on the journal's loop, where none of it may block or run a user's code.
/// </summary>
internal interface IPageReader<T>
    where T : class
{
    /// <summary>A page, at least one item long, that answers a demand.</summary>
    void Receive(Page<T> page);

    /// <summary>The query is at its end; it answers a demand.</summary>
    void Complete();

    /// <summary>The page that it has is the last, which was not known when it was given. Without this, the next demand is answered by the end.</summary>
    void Ended(Page<T> page)
    {
    }

    /// <summary>The query failed; it answers a demand, and comes once.</summary>
    void Fail(Exception error);
}
