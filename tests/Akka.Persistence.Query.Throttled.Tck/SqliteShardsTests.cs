using Akka.Persistence.Query.Throttled.Tests.Journals;
using Xunit.Abstractions;

namespace Akka.Persistence.Query.Throttled.Tests.Tck;

// Specs of the sharded write journal. The specs of all events and by tag expect the events of all ids in the order of the writes. A sharded
// journal keeps this order only within a shard, so these specs write to one of two shards.
public sealed class SqliteShardsAllEventsTests(ITestOutputHelper output) : AllEventsOn<SqliteShardsOneEmpty>(output);

[Trait("Category", "Long")]
public sealed class SqliteShardsCurrentAllEventsTests(ITestOutputHelper output) : CurrentAllEventsOn<SqliteShardsOneEmpty>(output);

public sealed class SqliteShardsEventsByPersistenceIdTests(ITestOutputHelper output) : EventsByPersistenceIdOn<SqliteShards>(output);

[Trait("Category", "Long")]
public sealed class SqliteShardsCurrentEventsByPersistenceIdTests(ITestOutputHelper output) : CurrentEventsByPersistenceIdOn<SqliteShards>(output);

[Trait("Category", "Long")]
public sealed class SqliteShardsEventsByTagTests(ITestOutputHelper output) : EventsByTagOn<SqliteShardsOneEmpty>(output);

[Trait("Category", "Long")]
public sealed class SqliteShardsCurrentEventsByTagTests(ITestOutputHelper output) : CurrentEventsByTagOn<SqliteShardsOneEmpty>(output);

[Trait("Category", "Long")]
public sealed class SqliteShardsPersistenceIdsTests(ITestOutputHelper output) : PersistenceIdsOn<SqliteShards>(output);

[Trait("Category", "Long")]
public sealed class SqliteShardsCurrentPersistenceIdsTests(ITestOutputHelper output) : CurrentPersistenceIdsOn<SqliteShards>(output);
