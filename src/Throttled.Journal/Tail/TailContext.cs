using Throttled.Journal.Faults;
using Throttled.Journal.Pages;
using Throttled.Journal.Rows;

namespace Throttled.Journal.Tail;

/// <summary>What the tail uses in addition to the journal's context.</summary>
internal sealed record TailContext(ReservedPermit Reserved, CircuitBreaker Breaker, BrokenSessions BrokenSessions, ByteBudget Budget, PageScheduler Scheduler)
{
    /// <summary>The most keys that one poll reads above the position, and the most late keys.</summary>
    internal required int KeysPerPoll { get; init; }

    /// <summary>Ends all queries, because it is not the same journal any more. The argument is the highest ordering that was seen before.</summary>
    internal required Action<long> Rewound { get; init; }
}
