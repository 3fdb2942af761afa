using Akka.Actor;
using Akka.Event;

namespace Akka.Persistence.Query.Throttled.Writing;

/// <summary>A shard's database was looked at.</summary>
/// <param name="Shard">Which.</param>
/// <param name="Error">Null where it is that shard's.</param>
internal sealed record ShardLooked(int Shard, Exception? Error) : INoSerializationVerificationNeeded, IDeadLetterSuppression;
