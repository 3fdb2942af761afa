using Throttled.Journal.Sql;

namespace Throttled.Journal.Pages;

/// <summary>One statement that reads for the members of a batch.</summary>
internal interface IPageStatement
{
    /// <summary>Runs it on the database. Off the loop.</summary>
    Task RunAsync(IJournalDatabase database, CancellationToken cancellation);

    /// <summary>It ended well: makes pages of what was read. Off the loop.</summary>
    void Complete();

    /// <summary>It failed: gives back what was counted.</summary>
    void Discard();

    /// <summary>Gives a member what was read for it. On the loop.</summary>
    /// <returns>False where the statement ended before the member's turn.</returns>
    bool Give(int member, PageRequest to);

    /// <summary>The member has left; gives back what was counted for it.</summary>
    void Drop(int member);
}
