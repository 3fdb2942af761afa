using Throttled.Journal.Contract;
using Xunit.Abstractions;

namespace Throttled.Journal.Sqlite.Tests.Contract;

public sealed class SqliteRangeTests(SqliteHost host, ITestOutputHelper output)
    : RangeContract(host, output), IClassFixture<SqliteHost>;

public sealed class SqlitePageContractTests(SqliteHost host, ITestOutputHelper output)
    : PageContract(host, output), IClassFixture<SqliteHost>;

public sealed class SqliteFieldTests(SqliteHost host, ITestOutputHelper output)
    : FieldContract(host, output), IClassFixture<SqliteHost>;

public sealed class SqliteLifetimeTests(SqliteHost host, ITestOutputHelper output)
    : LifetimeContract(host, output), IClassFixture<SqliteHost>;

public sealed class SqliteOptionsTests(SqliteHost host, ITestOutputHelper output)
    : OptionsContract(host, output), IClassFixture<SqliteHost>;

public sealed class SqliteMissingJournalTests(SqliteHost host, ITestOutputHelper output)
    : MissingJournalContract(host, output), IClassFixture<SqliteHost>;

public sealed class SqliteUnreadableTests(SqliteHost host, ITestOutputHelper output)
    : UnreadableContract(host, output), IClassFixture<SqliteHost>;

public sealed class SqliteHandOverTests(SqliteHost host, ITestOutputHelper output)
    : HandOverContract(host, output), IClassFixture<SqliteHost>;

/// <summary>What counts memory and time has the process for itself.</summary>
[CollectionDefinition(Name, DisableParallelization = true)]
public sealed class AloneCollection : ICollectionFixture<SqliteHost>
{
    internal const string Name = "SQLite, alone";
}

[Collection(AloneCollection.Name)]
public sealed class SqliteByteBudgetTests(SqliteHost host, ITestOutputHelper output) : ByteBudgetContract(host, output);

[Collection(AloneCollection.Name)]
public sealed class SqliteIdleTests(SqliteHost host, ITestOutputHelper output) : IdleContract(host, output);
