namespace Throttled.Journal.SqlServer.Tests.Contract;

/// <summary>A third of the contracts. Its tests run one after the other.</summary>
[CollectionDefinition(Name)]
public sealed class ServerCollection : ICollectionFixture<SqlServerHost>
{
    internal const string Name = "SQL Server";
}

/// <summary>The next third, in parallel.</summary>
[CollectionDefinition(Name)]
public sealed class OtherServerCollection : ICollectionFixture<SqlServerHost>
{
    internal const string Name = "SQL Server, the other";
}

/// <summary>The rest.</summary>
[CollectionDefinition(Name)]
public sealed class ThirdServerCollection : ICollectionFixture<SqlServerHost>
{
    internal const string Name = "SQL Server, the third";
}

/// <summary>Contracts with texts that differ only in case.</summary>
[CollectionDefinition(Name)]
public sealed class OrdinalCollection : ICollectionFixture<OrdinalSqlServerHost>
{
    internal const string Name = "SQL Server, ordinal";
}

/// <summary>Contracts that name a column in another case.</summary>
[CollectionDefinition(Name)]
public sealed class CaselessCollection : ICollectionFixture<CaselessSqlServerHost>
{
    internal const string Name = "SQL Server, caseless";
}

/// <summary>Contracts in which uncommitted changes block no reader.</summary>
[CollectionDefinition(Name)]
public sealed class SnapshotCollection : ICollectionFixture<SnapshotSqlServerHost>
{
    internal const string Name = "SQL Server, snapshots";
}

/// <summary>Contracts in which open transactions are not visible.</summary>
[CollectionDefinition(Name)]
public sealed class BlindCollection : ICollectionFixture<BlindSqlServerHost>
{
    internal const string Name = "SQL Server, blind";
}

/// <summary>Contracts in which low orderings commit late.</summary>
[CollectionDefinition(Name)]
public sealed class LateCollection : ICollectionFixture<LateSqlServerHost>
{
    internal const string Name = "SQL Server, late commits";
}

/// <summary>Contracts in which orderings go back.</summary>
[CollectionDefinition(Name)]
public sealed class RewindCollection : ICollectionFixture<RewindSqlServerHost>
{
    internal const string Name = "SQL Server, rewound";
}

[Collection(ServerCollection.Name)]
public sealed class SqlServerRangeTests(SqlServerHost host, ITestOutputHelper output) : RangeContract(host, output);

[Collection(ServerCollection.Name)]
public sealed class SqlServerPageTests(SqlServerHost host, ITestOutputHelper output) : PageContract(host, output);

[Collection(ThirdServerCollection.Name)]
public sealed class SqlServerOrderedTests(SqlServerHost host, ITestOutputHelper output) : OrderedContract(host, output);

[Collection(ThirdServerCollection.Name)]
public sealed class SqlServerFromEndTests(SqlServerHost host, ITestOutputHelper output) : FromEndContract(host, output);

[Collection(ThirdServerCollection.Name)]
public sealed class SqlServerPositionTests(SqlServerHost host, ITestOutputHelper output) : PositionContract(host, output);

[Collection(OtherServerCollection.Name)]
public sealed class SqlServerOrderedDeletionTests(SqlServerHost host, ITestOutputHelper output) : OrderedDeletionContract(host, output);

[Collection(ThirdServerCollection.Name)]
public sealed class SqlServerOrderedPageTests(SqlServerHost host, ITestOutputHelper output) : OrderedPageContract(host, output);

[Collection(OtherServerCollection.Name)]
public sealed class SqlServerOrderedLifetimeTests(SqlServerHost host, ITestOutputHelper output) : OrderedLifetimeContract(host, output);

[Collection(OrdinalCollection.Name)]
public sealed class SqlServerTagTests(OrdinalSqlServerHost host, ITestOutputHelper output) : TagContract(host, output);

[Collection(ServerCollection.Name)]
public sealed class SqlServerSliceTests(SqlServerHost host, ITestOutputHelper output) : SliceContract(host, output);

[Collection(OrdinalCollection.Name)]
public sealed class SqlServerPersistenceIdsTests(OrdinalSqlServerHost host, ITestOutputHelper output) : PersistenceIdsContract(host, output);

[Collection(OrdinalCollection.Name)]
public sealed class SqlServerFieldTests(OrdinalSqlServerHost host, ITestOutputHelper output) : FieldContract(host, output);

[Collection(ServerCollection.Name)]
public sealed class SqlServerLifetimeTests(SqlServerHost host, ITestOutputHelper output) : LifetimeContract(host, output);

[Collection(ServerCollection.Name)]
public sealed class SqlServerOptionsTests(SqlServerHost host, ITestOutputHelper output) : OptionsContract(host, output);

[Collection(ServerCollection.Name)]
public sealed class SqlServerMissingJournalTests(SqlServerHost host, ITestOutputHelper output) : MissingJournalContract(host, output);

[Collection(RewindCollection.Name)]
public sealed class SqlServerRewindTests(RewindSqlServerHost host, ITestOutputHelper output) : RewindContract(host, output);

[Collection(ServerCollection.Name)]
public sealed class SqlServerUnreadableTests(SqlServerHost host, ITestOutputHelper output) : UnreadableContract(host, output);

[Collection(OtherServerCollection.Name)]
public sealed class SqlServerLargePayloadTests(SqlServerHost host, ITestOutputHelper output) : LargePayloadContract(host, output);

[Collection(LateCollection.Name)]
public sealed class SqlServerHandOverTests(LateSqlServerHost host, ITestOutputHelper output) : HandOverContract(host, output)
{
    protected override int Phases => Few.Phases;
}

[Collection(OtherServerCollection.Name)]
public sealed class SqlServerShardedReadTests(SqlServerHost host, ITestOutputHelper output) : ShardedReadContract(host, output);

[Collection(OtherServerCollection.Name)]
public sealed class SqlServerShardMarkTests(SqlServerHost host, ITestOutputHelper output) : ShardMarkContract(host, output);

[Collection(SnapshotCollection.Name)]
public sealed class SqlServerSnapshotHandOverTests(SnapshotSqlServerHost host, ITestOutputHelper output) : HandOverContract(host, output)
{
    protected override int Phases => Few.Phases;
}

[Collection(BlindCollection.Name)]
public sealed class SqlServerBlindHandOverTests(BlindSqlServerHost host, ITestOutputHelper output) : HandOverContract(host, output)
{
    protected override int Phases => Few.Phases;
}

/// <summary>Tests that measure memory or time, or kill a server, run alone.</summary>
[CollectionDefinition(Name, DisableParallelization = true)]
public sealed class AloneCollection : ICollectionFixture<SqlServerHost>
{
    internal const string Name = "SQL Server, alone";
}

[Collection(AloneCollection.Name)]
public sealed class SqlServerByteBudgetTests(SqlServerHost host, ITestOutputHelper output) : ByteBudgetContract(host, output);

[Collection(AloneCollection.Name)]
public sealed class SqlServerIdleTests(SqlServerHost host, ITestOutputHelper output) : IdleContract(host, output);

[Collection(AloneCollection.Name)]
public sealed class SqlServerSharedStatementsTests(SqlServerHost host, ITestOutputHelper output) : SharedStatementsContract(host, output);

[Collection(AloneCollection.Name)]
[Trait("Category", "Long")]
public sealed class SqlServerOrderedBudgetTests(SqlServerHost host, ITestOutputHelper output) : OrderedBudgetContract(host, output);

[Collection(AloneCollection.Name)]
[Trait("Category", "Long")]
public sealed class SqlServerLargePayloadMemoryTests(SqlServerHost host, ITestOutputHelper output) : LargePayloadMemoryContract(host, output);

// If locks are not visible, each phase waits for several times GapTimeout.
file static class Few
{
    internal static int Phases => TestServer.IsBabelfish ? 2 : 10;
}
