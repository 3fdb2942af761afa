using Npgsql;
using Throttled.Faults.PostgreSql;
using Throttled.Faults.World;
using Throttled.Journal.PostgreSql.Tests.Contract;

namespace Throttled.Faults.Sharding;

/// <summary>One of three shards is unavailable for a while. Queries of the others go on, no query fails, and no event is missing afterwards.</summary>
[Collection(AloneCollection.Name)]
public sealed class DownShardTests : IAsyncLifetime
{
    private readonly List<PostgreSqlServer> _servers = [];

    public Task InitializeAsync() => Task.CompletedTask;

    public Task DisposeAsync()
    {
        _servers.ForEach(server => server.Dispose());
        return Task.CompletedTask;
    }

    [PostgreSqlFact]
    public Task A_shard_whose_network_is_cut_stops_only_its_own_ids() => CutAsync(120);

    [PostgreSqlFact]
    [Trait("Category", "Long")]
    public Task A_shard_whose_network_is_cut_stops_only_its_own_ids_under_very_many() => CutAsync(LongShare.Of(10_000));

    [PostgreSqlFact]
    [Trait("Category", "Long")]
    public async Task A_shard_whose_server_is_killed_stops_only_its_own_ids_for_readers_and_writers()
    {
        var (server, killed) = (Start(), Start());
        await using var journal = await new ShardedUnderTest(
            ShardRun.Three, await PostgreSqlHost.CreateAsync(server), await PostgreSqlHost.CreateAsync(killed), await PostgreSqlHost.CreateAsync(server)).CreateAsync();
        await using var run = await ShardRun.StartAsync(journal, LongShare.Of(10_000));

        killed.Kill();
        await run.UntilUnavailableAsync();
        var error = await Assert.ThrowsAsync<ShardedAppendException>(() => journal.AppendAsync(ShardRun.Meanwhile));
        Assert.Equal(journal.In(ShardRun.Unavailable, ShardRun.Meanwhile), error.NotAppended);
        await run.GoesOnAsync();
        killed.Start();

        await journal.AppendAsync([.. error.NotAppended]);
        await journal.AppendAsync(ShardRun.After);
        await run.EndAsync();
    }

    private async Task CutAsync(int queries)
    {
        var server = Start();
        var proxied = await PostgreSqlHost.CreateAsync(server);
        await using var proxy = FaultProxy.Before(proxied.ReaderConnectionString);
        // The timeout of a connection; the reader waits 10 s by default.
        proxied.ReaderConnectionString = new NpgsqlConnectionStringBuilder(proxy.ConnectionString) { Timeout = 2 }.ConnectionString;
        await using var journal = await new ShardedUnderTest(
            ShardRun.Three, await PostgreSqlHost.CreateAsync(server), proxied, await PostgreSqlHost.CreateAsync(server)).CreateAsync();
        await using var run = await ShardRun.StartAsync(journal, queries);

        await proxy.RefuseAsync();
        await run.UntilUnavailableAsync();
        await journal.AppendAsync(ShardRun.Meanwhile);
        await run.GoesOnAsync();
        proxy.Accept();

        await journal.AppendAsync(ShardRun.After);
        await run.EndAsync();
    }

    private PostgreSqlServer Start()
    {
        var server = PostgreSqlServer.Start();
        _servers.Add(server);
        return server;
    }
}
