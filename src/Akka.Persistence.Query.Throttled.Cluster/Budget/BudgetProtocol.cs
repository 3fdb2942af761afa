using Akka.Actor;
using Akka.Cluster;
using Akka.Event;

namespace Akka.Persistence.Query.Throttled.Cluster.Budget;

// Actors of the same journal on several nodes exchange the first three messages. Each may get lost: a request is repeated, and without an answer the
// nodes wait for the grace period. A node may have no such actor yet, so dead letters are expected.

/// <summary>A node that is Up asks another one whether it counts it.</summary>
internal sealed record ShareRequest(UniqueAddress From) : IDeadLetterSuppression;

/// <summary>A node counts the one that asked, and runs no more statements than its smaller share.</summary>
/// <param name="From">The node that answers.</param>
/// <param name="Counted">The uids of all nodes that it counts.</param>
internal sealed record ShareAck(UniqueAddress From, IReadOnlyList<long> Counted) : IDeadLetterSuppression;

/// <summary>A node has released its share for good, and none of its statements runs.</summary>
internal sealed record ShareReleased(UniqueAddress From) : IDeadLetterSuppression;

/// <summary>This node leaves: release its share, and answer <see cref="Done"/> when none of its statements runs.</summary>
internal sealed record ReleaseShare : INoSerializationVerificationNeeded
{
    internal static ReleaseShare Instance { get; } = new();
}

/// <summary>Time has passed.</summary>
internal sealed record BudgetTick : INoSerializationVerificationNeeded
{
    internal static BudgetTick Instance { get; } = new();
}
