using Akka.Persistence.Query.Throttled.Tests.Envelopes;
using Akka.Persistence.Query.Throttled.Tests.Reopening;
using Akka.Persistence.Query.Throttled.Tests.Sharding;
using Akka.Persistence.Query.Throttled.Tests.Streams;

namespace Akka.Persistence.Query.Throttled.Tests.Ways;

// What holds for streams holds for subscriptions. LeavingBySubscriptionTests is beside its contract.

public sealed class DemandBySubscriptionTests : DemandTests, IBySubscription;

public sealed class FailureBySubscriptionTests : FailureTests, IBySubscription;

public sealed class AdaptedBySubscriptionTests : AdaptedTests, IBySubscription;

public sealed class LateEndBySubscriptionTests : LateEndTests, IBySubscription;

public sealed class ClosedBySubscriptionTests : ClosedTests, IBySubscription;

public sealed class SupervisionBySubscriptionTests : SupervisionTests, IBySubscription;

public sealed class EnvelopeBySubscriptionTests : EnvelopeTests, IBySubscription;

public sealed class AdapterBySubscriptionTests : AdapterTests, IBySubscription;

public sealed class PoisonBySubscriptionTests : PoisonTests, IBySubscription;

public sealed class LargePayloadBySubscriptionTests : LargePayloadTests, IBySubscription;

public sealed class SerializerBySubscriptionTests : SerializerTests, IBySubscription;

public sealed class FromEndBySubscriptionTests : FromEndTests, IBySubscription;

public sealed class ShardedReadBySubscriptionTests : ShardedReadTests, IBySubscription;

public sealed class ShardedEnvelopeBySubscriptionTests : ShardedEnvelopeTests, IBySubscription;

public sealed class OneShardBySubscriptionTests : OneShardTests, IBySubscription;

public sealed class ReopeningBySubscriptionTests : ReopeningTests, IBySubscription;

public sealed class ShutdownBySubscriptionTests : ShutdownTests, IBySubscription;
