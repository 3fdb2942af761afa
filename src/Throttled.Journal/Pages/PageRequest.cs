using Throttled.Journal.Lines;

namespace Throttled.Journal.Pages;

/// <summary>
/// Who requests pages, one at a time: it waits in the scheduler's queue, then is a member of a batch, then holds the page that it
/// was given. What it reads, <see cref="IByIdRequest"/>, <see cref="IOrderedRequest"/> or <see cref="IIdsRequest"/> says. Called on the
/// loop.
/// </summary>
internal abstract class PageRequest : ILineMember<PageRequest>
{
    /// <summary>The batch that it is a member of; null where it is in none.</summary>
    internal PageBatch? Batch { get; set; }

    /// <summary>Since when it stands where it stands, in the loop's time.</summary>
    internal TimeSpan Since { get; set; }

    /// <summary>Its place among all that were ever enqueued: who came earlier has a lower one.</summary>
    internal long Turn { get; set; }

    Line<PageRequest>? ILineMember<PageRequest>.Line { get; set; }

    PageRequest? ILineMember<PageRequest>.Before { get; set; }

    PageRequest? ILineMember<PageRequest>.Behind { get; set; }

    /// <summary>Whether the query waits for ever while the database is away.</summary>
    internal abstract bool IsLive { get; }

    /// <summary>What it reads, for a sentence: "the events of 'a'".</summary>
    internal abstract string Subject { get; }

    /// <summary>There will be no page: the query is at its end.</summary>
    /// <param name="error">Makes the exception, one for each query: throwing writes into it.</param>
    internal abstract void Fail(Func<Exception> error);

    /// <summary>Releases the page that its reader holds, because the memory is needed.</summary>
    internal abstract void Forget();
}
