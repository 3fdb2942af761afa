using System.Data.Common;
using System.Diagnostics;
using Throttled.Faults.World;
using Throttled.Journal.PostgreSql.Tests.Contract;

namespace Throttled.Faults.Rewound;

/// <summary>One process of the server is killed. The server recovers without a restart, and commits that did not wait for the disk are lost.</summary>
[Collection(AloneCollection.Name)]
public sealed class CrashRecoveryTests
{
    [PostgreSqlFact]
    [Trait("Category", "Long")]
    public async Task Lost_asynchronous_commits_end_every_query()
    {
        using var server = PostgreSqlServer.Start(settings: new Dictionary<string, string> { ["wal_writer_delay"] = "10s" });
        await using var journal = await PostgreSqlHost.CreateAsync(server);
        await journal.AppendAsync("id", 1, 3);
        var reader = journal.OpenReader();
        await using var byId = LiveReading.Of(reader.EventsByPersistenceId("id"));
        await using var all = LiveReading.Of(reader.AllEvents());
        await byId.UntilAsync(3);
        await all.UntilAsync(3);
        await CommitWithoutWaitingAsync(journal, TestEvents.One("id", 4));
        await byId.UntilAsync(4);
        await all.UntilAsync(4);

        await KillOneAsync(journal);

        await Wait.UntilAsync(async () => await CountAsync(journal) is { } count && count == 3, () => "a server that has recovered, without the last event");
        await Assert.ThrowsAsync<JournalRewoundException>(() => byId.Ended.WithinAsync("the end of a query by persistence id"));
        await Assert.ThrowsAsync<JournalRewoundException>(() => all.Ended.WithinAsync("the end of a query for all events"));
    }

    private static async Task CommitWithoutWaitingAsync(JournalUnderTest journal, JournalEvent each)
    {
        await using var transaction = await journal.BeginAsync();
        await transaction.RunAsync("SET LOCAL synchronous_commit = off");
        await transaction.InsertAsync(each);
        await transaction.CommitAsync();
    }

    private static async Task KillOneAsync(JournalUnderTest journal)
    {
        await using var connection = await journal.ConnectAsync();
        using var process = Process.GetProcessById(await connection.ScalarAsync<int>("SELECT pg_backend_pid()"));
        process.Kill();
    }

    private static async Task<long?> CountAsync(JournalUnderTest journal)
    {
        try
        {
            await using var connection = await journal.ConnectAsync();
            return await connection.ScalarAsync<long>("SELECT count(*) FROM journal");
        }
        catch (DbException)
        {
            return null;
        }
    }
}
