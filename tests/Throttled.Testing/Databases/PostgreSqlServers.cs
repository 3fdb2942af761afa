namespace Throttled.Testing;

/// <summary>PostgreSQL servers on this machine, small enough to run many at once. Their commits do not wait for the disk.</summary>
public sealed class PostgreSqlServers : IDisposable
{
    private readonly List<PostgreSqlServer> _servers = [];

    /// <summary>Starts the servers.</summary>
    /// <param name="count">How many.</param>
    /// <param name="maxConnections">The <c>max_connections</c> of each server.</param>
    /// <exception cref="InvalidOperationException">There are no binaries, or a server did not start.</exception>
    public PostgreSqlServers(int count, int maxConnections = 50)
    {
        try
        {
            for (var i = 0; i < count; i++)
            {
                _servers.Add(PostgreSqlServer.Start(
                    maxConnections, settings: new Dictionary<string, string> { ["shared_buffers"] = "64MB", ["max_wal_size"] = "512MB", ["autovacuum"] = "off" }));
            }
        }
        catch
        {
            Dispose();
            throw;
        }
    }

    /// <summary>The servers.</summary>
    public IReadOnlyList<PostgreSqlServer> All => _servers;

    /// <summary>Stops the servers and removes their data.</summary>
    public void Dispose() => _servers.ForEach(server => server.Dispose());
}
