using Npgsql;

namespace Throttled.Projections.Tests.Merging;

/// <summary>A PostgreSQL server with one database for all tests of merging. The first test starts it.</summary>
[ContractOn(ContractDatabase.PostgreSql)]
public sealed class MergeServer : IDisposable
{
    private readonly Lazy<PostgreSqlServer> _server = new(() => PostgreSqlServer.Start());
    private readonly Lazy<NpgsqlDataSource> _source;

    public MergeServer() => _source = new(() => NpgsqlDataSource.Create(_server.Value.CreateDatabase()));

    public NpgsqlDataSource Source => _source.Value;

    public void Dispose()
    {
        if (_source.IsValueCreated)
            _source.Value.Dispose();
        if (_server.IsValueCreated)
            _server.Value.Dispose();
    }
}

[CollectionDefinition(Name)]
public sealed class MergeCollection : ICollectionFixture<MergeServer>
{
    public const string Name = "Merging";
}
