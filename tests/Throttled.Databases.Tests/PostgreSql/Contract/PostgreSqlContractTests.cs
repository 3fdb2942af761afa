namespace Throttled.Journal.PostgreSql.Tests.Contract;

/// <summary>One server for a third of the contracts. Its tests run one after the other.</summary>
[CollectionDefinition(Name)]
public sealed class ServerCollection : ICollectionFixture<PostgreSqlHost>
{
    internal const string Name = "PostgreSQL";
}

/// <summary>A second server for the next third, in parallel.</summary>
[CollectionDefinition(Name)]
public sealed class OtherServerCollection : ICollectionFixture<PostgreSqlHost>
{
    internal const string Name = "PostgreSQL, the other";
}

/// <summary>A third server for the rest.</summary>
[CollectionDefinition(Name)]
public sealed class ThirdServerCollection : ICollectionFixture<PostgreSqlHost>
{
    internal const string Name = "PostgreSQL, the third";
}

[Collection(ServerCollection.Name)]
public sealed class PostgreSqlRangeTests(PostgreSqlHost host, ITestOutputHelper output) : RangeContract(host, output);

[Collection(ServerCollection.Name)]
public sealed class PostgreSqlPageTests(PostgreSqlHost host, ITestOutputHelper output) : PageContract(host, output);

[Collection(ThirdServerCollection.Name)]
public sealed class PostgreSqlOrderedTests(PostgreSqlHost host, ITestOutputHelper output) : OrderedContract(host, output);

[Collection(ThirdServerCollection.Name)]
public sealed class PostgreSqlFromEndTests(PostgreSqlHost host, ITestOutputHelper output) : FromEndContract(host, output);

[Collection(ThirdServerCollection.Name)]
public sealed class PostgreSqlPositionTests(PostgreSqlHost host, ITestOutputHelper output) : PositionContract(host, output);

[Collection(OtherServerCollection.Name)]
public sealed class PostgreSqlOrderedDeletionTests(PostgreSqlHost host, ITestOutputHelper output) : OrderedDeletionContract(host, output);

[Collection(ThirdServerCollection.Name)]
public sealed class PostgreSqlOrderedPageTests(PostgreSqlHost host, ITestOutputHelper output) : OrderedPageContract(host, output);

[Collection(OtherServerCollection.Name)]
public sealed class PostgreSqlOrderedLifetimeTests(PostgreSqlHost host, ITestOutputHelper output) : OrderedLifetimeContract(host, output);

[Collection(OtherServerCollection.Name)]
public sealed class PostgreSqlTagTests(PostgreSqlHost host, ITestOutputHelper output) : TagContract(host, output);

[Collection(ServerCollection.Name)]
public sealed class PostgreSqlSliceTests(PostgreSqlHost host, ITestOutputHelper output) : SliceContract(host, output);

[Collection(ThirdServerCollection.Name)]
public sealed class PostgreSqlPersistenceIdsTests(PostgreSqlHost host, ITestOutputHelper output) : PersistenceIdsContract(host, output);

[Collection(ThirdServerCollection.Name)]
public sealed class PostgreSqlFieldTests(PostgreSqlHost host, ITestOutputHelper output) : FieldContract(host, output);

[Collection(ServerCollection.Name)]
public sealed class PostgreSqlLifetimeTests(PostgreSqlHost host, ITestOutputHelper output) : LifetimeContract(host, output);

[Collection(ServerCollection.Name)]
public sealed class PostgreSqlOptionsTests(PostgreSqlHost host, ITestOutputHelper output) : OptionsContract(host, output);

[Collection(ServerCollection.Name)]
public sealed class PostgreSqlMissingJournalTests(PostgreSqlHost host, ITestOutputHelper output) : MissingJournalContract(host, output);

[Collection(ThirdServerCollection.Name)]
public sealed class PostgreSqlRewindTests(PostgreSqlHost host, ITestOutputHelper output) : RewindContract(host, output);

[Collection(ServerCollection.Name)]
public sealed class PostgreSqlUnreadableTests(PostgreSqlHost host, ITestOutputHelper output) : UnreadableContract(host, output);

[Collection(OtherServerCollection.Name)]
public sealed class PostgreSqlLargePayloadTests(PostgreSqlHost host, ITestOutputHelper output) : LargePayloadContract(host, output);

[Collection(OtherServerCollection.Name)]
public sealed class PostgreSqlHandOverTests(PostgreSqlHost host, ITestOutputHelper output) : HandOverContract(host, output);

[Collection(OtherServerCollection.Name)]
public sealed class PostgreSqlShardedReadTests(PostgreSqlHost host, ITestOutputHelper output) : ShardedReadContract(host, output);

[Collection(OtherServerCollection.Name)]
public sealed class PostgreSqlShardMarkTests(PostgreSqlHost host, ITestOutputHelper output) : ShardMarkContract(host, output);

/// <summary>Tests that measure memory or time, or kill a server, run alone.</summary>
[CollectionDefinition(Name, DisableParallelization = true)]
public sealed class AloneCollection : ICollectionFixture<PostgreSqlHost>
{
    internal const string Name = "PostgreSQL, alone";
}

[Collection(AloneCollection.Name)]
public sealed class PostgreSqlByteBudgetTests(PostgreSqlHost host, ITestOutputHelper output) : ByteBudgetContract(host, output);

[Collection(AloneCollection.Name)]
public sealed class PostgreSqlIdleTests(PostgreSqlHost host, ITestOutputHelper output) : IdleContract(host, output);

[Collection(AloneCollection.Name)]
public sealed class PostgreSqlSharedStatementsTests(PostgreSqlHost host, ITestOutputHelper output) : SharedStatementsContract(host, output);

[Collection(AloneCollection.Name)]
[Trait("Category", "Long")]
public sealed class PostgreSqlOrderedBudgetTests(PostgreSqlHost host, ITestOutputHelper output) : OrderedBudgetContract(host, output);

[Collection(AloneCollection.Name)]
[Trait("Category", "Long")]
public sealed class PostgreSqlLargePayloadMemoryTests(PostgreSqlHost host, ITestOutputHelper output) : LargePayloadMemoryContract(host, output);
