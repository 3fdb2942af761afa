using Npgsql;
using Throttled.Benchmarks.Tags;
using Throttled.Testing;
using Throttled.Journal.PostgreSql;

namespace Throttled.Benchmarks.Shards;

/// <summary>PostgreSQL servers for journals of several shards.</summary>
internal sealed class ShardServers(int count, int maxConnections = 50) : IDisposable
{
    private readonly PostgreSqlServers _servers = new(count, maxConnections);

    /// <summary>Creates an empty journal on the first servers, as a user creates it.</summary>
    internal async Task<ShardDatabases> CreateAsync(int shards)
    {
        string[] connections = [.. _servers.All.Take(shards).Select(server => server.CreateDatabase())];
        await using var appender = ShardedJournal.OpenAppender(connections, PostgreSqlJournal.OpenAppender);
        await appender.CreateAsync();
        return new(connections);
    }

    public void Dispose() => _servers.Dispose();
}

/// <summary>The databases of a journal, in the order of the shards.</summary>
internal sealed class ShardDatabases(string[] connections)
{
    private static readonly TimeSpan Commit = TimeSpan.FromMilliseconds(5);

    internal string[] Connections => connections;

    internal ShardMap Map { get; } = ShardMap.Even(connections.Length);

    /// <summary>Makes each commit of events take at least 5 ms, on any machine.</summary>
    internal Task SlowDownAsync() => RunAsync(SlowCommit.Sql(Commit));

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
