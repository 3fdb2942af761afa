using Akka.Actor;
using Akka.Event;

namespace Akka.Persistence.Query.Throttled.Writing;

/// <summary>The result of a probe of a shard's database.</summary>
/// <param name="Shard">Which.</param>
/// <param name="Error">Null where it is that shard's.</param>
internal sealed record ShardLooked(int Shard, Exception? Error) : INoSerializationVerificationNeeded, IDeadLetterSuppression;
