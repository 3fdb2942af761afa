namespace Akka.Persistence.Query.Throttled.Tests.Journals;

/// <summary>A server that no test stops. Each test has its own database. The server ends with the process.</summary>
internal static class SharedServer
{
    // Many tests run at once, and each has a write plugin, a snapshot store and a reader on its database.
    private static readonly Lazy<PostgreSqlServer> Only = new(() => PostgreSqlServer.Start(maxConnections: 700));

    internal static PostgreSqlServer Server => Only.Value;
}
