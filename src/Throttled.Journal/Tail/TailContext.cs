using Throttled.Journal.Faults;
using Throttled.Journal.Pages;
using Throttled.Journal.Rows;

namespace Throttled.Journal.Tail;

/// <summary>What the tail works with beside the journal's context.</summary>
internal sealed record TailContext(ReservedPermit Reserved, CircuitBreaker Breaker, BrokenSessions BrokenSessions, ByteBudget Budget, PageScheduler Scheduler)
{
    /// <summary>How many keys one poll reads, and how many of those that came late.</summary>
    internal required int KeysPerPoll { get; init; }

    /// <summary>
    /// Ends all queries of the journal, whatever they do: it is not the one that they began to read, and of which this ordering was the highest
    /// that was seen.
    /// </summary>
    internal required Action<long> Rewound { get; init; }
}
