using Throttled.Journal.PostgreSql.Tests.Contract;
using Throttled.Journal.Sqlite.Tests.Contract;

namespace Throttled.Faults.Security;

/// <summary>One server for all of these tests; they run one after another.</summary>
[CollectionDefinition(Name)]
public sealed class SecurityCollection : ICollectionFixture<PostgreSqlHost>, ICollectionFixture<SqliteHost>, ICollectionFixture<TlsServer>
{
    internal const string Name = "Security";
}
