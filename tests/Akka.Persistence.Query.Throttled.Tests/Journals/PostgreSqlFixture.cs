namespace Akka.Persistence.Query.Throttled.Tests.Journals;

/// <summary>A server that starts with the first test that needs it. Its tests run one after another, so each may stop it.</summary>
public sealed class PostgreSqlFixture : IDisposable
{
    private readonly Lazy<PostgreSqlServer> _server = new(() => PostgreSqlServer.Start());

    internal PostgreSqlServer Server => _server.Value;

    public void Dispose()
    {
        if (_server.IsValueCreated)
            _server.Value.Dispose();
    }
}

[CollectionDefinition(Name)]
public sealed class OnPostgreSql : ICollectionFixture<PostgreSqlFixture>
{
    public const string Name = "PostgreSQL";
}
