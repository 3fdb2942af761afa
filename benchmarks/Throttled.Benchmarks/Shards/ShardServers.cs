using Npgsql;
using Throttled.Benchmarks.Tags;
using Throttled.Journal;
using Throttled.Testing;
using Throttled.Journal.PostgreSql;

namespace Throttled.Benchmarks.Shards;

/// <summary>PostgreSQL servers on this machine, small enough to run many at once. Their commits do not wait for the disk.</summary>
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

    /// <summary>Creates an empty journal on the first servers, as a user creates it.</summary>
    internal async Task<ShardDatabases> CreateAsync(int shards)
    {
        string[] connections = [.. _servers.Take(shards).Select(server => server.CreateDatabase())];
        await using var appender = ShardedJournal.OpenAppender(connections, PostgreSqlJournal.OpenAppender);
        await appender.CreateAsync();
        return new(connections);
    }

    public void Dispose() => _servers.ForEach(server => server.Dispose());
}

/// <summary>The databases of a journal, in the order of the shards.</summary>
internal sealed class ShardDatabases(string[] connections)
{
    // The trigger fires at the commit, for each row, and sleeps for the first row.
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

    /// <summary>Makes each commit of events take at least 5 ms, on any machine.</summary>
    internal Task SlowDownAsync() => RunAsync(SlowCommit);

    /// <summary>Does the work that the databases would do later in the background, so that it does not slow the measurement.</summary>
    internal async Task SettleAsync()
    {
        await RunAsync("VACUUM (ANALYZE) journal");
        await RunAsync("CHECKPOINT");
    }

    /// <summary>Seconds of processor time of all processes of the servers so far.</summary>
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
