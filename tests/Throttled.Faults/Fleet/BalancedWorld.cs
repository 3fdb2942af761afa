using Npgsql;
using Throttled.Journal.PostgreSql.Tests.Contract;

namespace Throttled.Faults.Fleet;

/// <summary>A primary with two streaming standbys behind HAProxy. All reads and writes go through HAProxy, which leads to the primary at its start.</summary>
internal sealed class BalancedWorld : IAsyncDisposable
{
    private readonly string _database;

    private BalancedWorld(PostgreSqlServer[] servers, string database, HaProxy proxy)
    {
        (Servers, _database, Proxy) = (servers, database, proxy);
        Journal = new(servers[0], Through(proxy.Port), JournalTables.Default);
    }

    /// <summary>The primary and its standbys.</summary>
    internal IReadOnlyList<PostgreSqlServer> Servers { get; }

    internal HaProxy Proxy { get; }

    internal PostgreSqlJournalUnderTest Journal { get; }

    /// <param name="idle">The time without a byte after which HAProxy closes a connection.</param>
    internal static async Task<BalancedWorld> StartAsync(string idle = "1h")
    {
        List<PostgreSqlServer> servers = [PostgreSqlServer.Start(200)];
        var database = servers[0].CreateDatabase();
        servers.AddRange([servers[0].StartStandby(), servers[0].StartStandby()]);
        // Not through the balancer: it may close a connection while one of these statements runs.
        await using (var journal = new PostgreSqlJournalUnderTest(servers[0], database, JournalTables.Default))
        {
            await journal.CreateAsync();
            // A visible commit is on both standbys, so a promotion loses nothing. The standbys do not inherit this setting: after a
            // promotion they wait for no other server.
            await journal.ExecuteAsync("ALTER SYSTEM SET synchronous_commit = remote_apply");
            await journal.ExecuteAsync("ALTER SYSTEM SET synchronous_standby_names = '2 (*)'");
            await journal.ExecuteAsync("SELECT pg_reload_conf()");
        }
        var proxy = await HaProxy.BeforeAsync(idle, [.. servers.Select(server => server.Port)]);
        return new([.. servers], database, proxy);
    }

    /// <summary>Kills the primary and promotes a standby.</summary>
    internal async Task PromoteAsync(int standby)
    {
        Servers[0].Kill();
        Servers[standby].Promote();
        await LeadToAsync(standby);
    }

    /// <summary>Leads to one server, and closes connections to the others.</summary>
    internal async Task LeadToAsync(int server)
    {
        for (var other = 0; other < Servers.Count; other++)
        {
            if (other != server)
                await Proxy.DownAsync(other);
        }
        await Proxy.UpAsync(server);
    }

    public async ValueTask DisposeAsync()
    {
        await Journal.DisposeAsync();
        Proxy.Dispose();
        foreach (var server in Servers)
            server.Dispose();
    }

    private string Through(int port) => new NpgsqlConnectionStringBuilder(_database) { Host = "127.0.0.1", Port = port, Timeout = 2 }.ConnectionString;
}
