using Throttled.Journal.Sql;

namespace Throttled.Journal.Pages;

/// <summary>Asks for a page of one persistence id; many of them share a statement.</summary>
internal interface IByIdRequest
{
    /// <summary>
    /// What to read, requested just before the statement starts: what is committed from now on, the statement may miss.
    /// </summary>
    PageAsk Start();

    /// <summary>The page, once for each time that it was enqueued, unless it was removed.</summary>
    void Read(PageRead read);
}
