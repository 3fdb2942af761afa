using Throttled.Journal.PostgreSql.Tests.Contract;
using Throttled.Journal.Sqlite.Tests.Contract;

namespace Throttled.Faults.World;

/// <summary>Tests that must run alone: they break a server, need the machine, or measure the whole process.</summary>
[CollectionDefinition(Name, DisableParallelization = true)]
public sealed class AloneCollection : ICollectionFixture<PostgreSqlHost>, ICollectionFixture<SqliteHost>
{
    internal const string Name = "alone";
}
