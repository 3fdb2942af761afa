using Npgsql;
using Throttled.Benchmarks.Tags;
using Throttled.Journal;
using Throttled.Testing;
using Throttled.Journal.PostgreSql;

namespace Throttled.Benchmarks.Shards;

/// <summary>PostgreSQL servers on this machine, small enough for many beside each other. Their commits do not wait for the disk.</summary>
internal sealed class ShardServers : IDisposable
{
    private readonly List<PostgreSqlServer> _servers = [];

    internal ShardServers(int count, int maxConnections = 50)
    {
        for (var i = 0; i < count; i++)
        {
            _servers.Add(PostgreSqlServer.Start(
                maxConnections, settings: new Dictionary<string, string> { ["shared_buffers"] = "64MB", ["max_wal_size"] = "512MB", ["autovacuum"] = "off" }));
        }
    }

    /// <summary>An empty journal on the first so many servers, as its user makes it.</summary>
    internal async Task<ShardDatabases> CreateAsync(int shards)
    {
        string[] connections = [.. _servers.Take(shards).Select(server => server.CreateDatabase())];
        await using var appender = ShardedJournal.OpenAppender(connections, PostgreSqlJournal.OpenAppender);
        await appender.CreateAsync();
        return new(connections);
    }

    public void Dispose() => _servers.ForEach(server => server.Dispose());
}

/// <summary>The databases of a journal.</summary>
/// <param name="connections">In the order of the shards.</param>
internal sealed class ShardDatabases(string[] connections)
{
    // It fires for each row, at the commit, and sleeps for the first one.
    private const string SlowCommit =
        """
        CREATE FUNCTION slow_commit() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            IF current_setting('throttled.slept', true) IS DISTINCT FROM 'yes' THEN
                PERFORM set_config('throttled.slept', 'yes', true);
                PERFORM pg_sleep(0.005);
            END IF;
            RETURN NULL;
        END $$;
        CREATE CONSTRAINT TRIGGER slow_commit AFTER INSERT ON journal DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION slow_commit();
        """;

    internal string[] Connections => connections;

    internal ShardMap Map { get; } = ShardMap.Even(connections.Length);

    /// <summary>Makes each commit of events take 5 ms, whatever the machine.</summary>
    internal Task SlowDownAsync() => RunAsync(SlowCommit);

    /// <summary>What the databases would do by and by, so that nothing measured pays for it.</summary>
    internal async Task SettleAsync()
    {
        await RunAsync("VACUUM (ANALYZE) journal");
        await RunAsync("CHECKPOINT");
    }

    /// <summary>Seconds of processor time that all processes of the servers took so far.</summary>
    internal async Task<double> CpuAsync()
    {
        var all = 0.0;
        foreach (var connection in connections)
        {
            await using var load = await ServerLoad.OpenAsync(connection + ";Pooling=false");
            all += (await load.ReadAsync()).Cpu;
        }
        return all;
    }

    private async Task RunAsync(string sql)
    {
        foreach (var connection in connections)
        {
            await using var source = NpgsqlDataSource.Create(connection);
            await using var command = source.CreateCommand(sql);
            await command.ExecuteNonQueryAsync();
        }
    }
}
