using Throttled.Journal.PostgreSql;
using Throttled.Journal.PostgreSql.Tests.Contract;

namespace Throttled.Faults.Sharding;

/// <summary>A PostgreSQL server for each shard. One is killed with SIGKILL.</summary>
internal sealed class ServerFleet : ShardFleet
{
    private readonly List<PostgreSqlServer> _servers = [];

    internal override string Database => "PostgreSQL";

    internal static async Task<ServerFleet> StartAsync(int shards)
    {
        var fleet = new ServerFleet();
        for (var shard = 0; shard < shards; shard++)
        {
            fleet._servers.Add(PostgreSqlServer.Start(settings: new Dictionary<string, string> { ["shared_buffers"] = "64MB" }));
            var journal = await PostgreSqlHost.CreateAsync(fleet._servers[shard]);
            // The owner of the tables may read the mark beside them.
            journal.ReaderConnectionString = journal.OwnerConnectionString;
            fleet.Journals.Add(journal);
        }
        await fleet.MarkAsync();
        return fleet;
    }

    internal override Task TakeDownAsync(int shard)
    {
        _servers[shard].Kill();
        return Task.CompletedTask;
    }

    internal override Task BringUpAsync(int shard)
    {
        _servers[shard].Start();
        return Task.CompletedTask;
    }

    public override async ValueTask DisposeAsync()
    {
        await base.DisposeAsync();
        _servers.ForEach(server => server.Dispose());
    }

    protected override JournalAppender OpenAppender(JournalUnderTest journal) =>
        PostgreSqlJournal.OpenAppender(((PostgreSqlJournalUnderTest)journal).OwnerConnectionString);
}
