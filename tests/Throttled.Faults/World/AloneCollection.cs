using Throttled.Journal.PostgreSql.Tests.Contract;
using Throttled.Journal.Sqlite.Tests.Contract;

namespace Throttled.Faults.World;

/// <summary>Tests that break a server, need the machine, or look at what is the whole process's.</summary>
[CollectionDefinition(Name, DisableParallelization = true)]
public sealed class AloneCollection : ICollectionFixture<PostgreSqlHost>, ICollectionFixture<SqliteHost>
{
    internal const string Name = "alone";
}
