namespace Throttled.Journal.Sqlite.Tests.Contract;

public sealed class SqliteRangeTests(SqliteHost host, ITestOutputHelper output)
    : RangeContract(host, output), IClassFixture<SqliteHost>;

public sealed class SqlitePageContractTests(SqliteHost host, ITestOutputHelper output)
    : PageContract(host, output), IClassFixture<SqliteHost>;

public sealed class SqliteOrderedTests(SqliteHost host, ITestOutputHelper output)
    : OrderedContract(host, output), IClassFixture<SqliteHost>;

public sealed class SqliteFromEndTests(SqliteHost host, ITestOutputHelper output)
    : FromEndContract(host, output), IClassFixture<SqliteHost>;

public sealed class SqlitePositionTests(SqliteHost host, ITestOutputHelper output)
    : PositionContract(host, output), IClassFixture<SqliteHost>;

public sealed class SqliteOrderedDeletionTests(SqliteHost host, ITestOutputHelper output)
    : OrderedDeletionContract(host, output), IClassFixture<SqliteHost>;

public sealed class SqliteOrderedPageTests(SqliteHost host, ITestOutputHelper output)
    : OrderedPageContract(host, output), IClassFixture<SqliteHost>;

public sealed class SqliteOrderedLifetimeTests(SqliteHost host, ITestOutputHelper output)
    : OrderedLifetimeContract(host, output), IClassFixture<SqliteHost>;

public sealed class SqliteTagTests(SqliteHost host, ITestOutputHelper output)
    : TagContract(host, output), IClassFixture<SqliteHost>;

public sealed class SqliteSliceTests(SqliteHost host, ITestOutputHelper output)
    : SliceContract(host, output), IClassFixture<SqliteHost>;

public sealed class SqlitePersistenceIdsTests(SqliteHost host, ITestOutputHelper output)
    : PersistenceIdsContract(host, output), IClassFixture<SqliteHost>;

public sealed class SqliteFieldTests(SqliteHost host, ITestOutputHelper output)
    : FieldContract(host, output), IClassFixture<SqliteHost>;

public sealed class SqliteLifetimeTests(SqliteHost host, ITestOutputHelper output)
    : LifetimeContract(host, output), IClassFixture<SqliteHost>;

public sealed class SqliteOptionsTests(SqliteHost host, ITestOutputHelper output)
    : OptionsContract(host, output), IClassFixture<SqliteHost>;

public sealed class SqliteMissingJournalTests(SqliteHost host, ITestOutputHelper output)
    : MissingJournalContract(host, output), IClassFixture<SqliteHost>;

public sealed class SqliteRewindTests(SqliteHost host, ITestOutputHelper output)
    : RewindContract(host, output), IClassFixture<SqliteHost>;

public sealed class SqliteUnreadableTests(SqliteHost host, ITestOutputHelper output)
    : UnreadableContract(host, output), IClassFixture<SqliteHost>;

public sealed class SqliteLargePayloadTests(SqliteHost host, ITestOutputHelper output)
    : LargePayloadContract(host, output), IClassFixture<SqliteHost>;

public sealed class SqliteHandOverTests(SqliteHost host, ITestOutputHelper output)
    : HandOverContract(host, output), IClassFixture<SqliteHost>;

public sealed class SqliteShardedReadTests(SqliteHost host, ITestOutputHelper output)
    : ShardedReadContract(host, output), IClassFixture<SqliteHost>;

public sealed class SqliteShardMarkTests(SqliteHost host, ITestOutputHelper output)
    : ShardMarkContract(host, output), IClassFixture<SqliteHost>;

/// <summary>Tests that measure memory or time run alone.</summary>
[CollectionDefinition(Name, DisableParallelization = true)]
public sealed class AloneCollection : ICollectionFixture<SqliteHost>
{
    internal const string Name = "SQLite, alone";
}

[Collection(AloneCollection.Name)]
public sealed class SqliteByteBudgetTests(SqliteHost host, ITestOutputHelper output) : ByteBudgetContract(host, output);

[Collection(AloneCollection.Name)]
public sealed class SqliteIdleTests(SqliteHost host, ITestOutputHelper output) : IdleContract(host, output);

[Collection(AloneCollection.Name)]
public sealed class SqliteSharedStatementsTests(SqliteHost host, ITestOutputHelper output) : SharedStatementsContract(host, output);

[Collection(AloneCollection.Name)]
public sealed class SqliteOrderedBudgetTests(SqliteHost host, ITestOutputHelper output) : OrderedBudgetContract(host, output);

[Collection(AloneCollection.Name)]
public sealed class SqliteLargePayloadMemoryTests(SqliteHost host, ITestOutputHelper output) : LargePayloadMemoryContract(host, output);
