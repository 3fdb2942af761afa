using Throttled.Faults.Processes;
using Throttled.Faults.World;
using Throttled.Journal.Sqlite.Tests.Contract;

namespace Throttled.Faults.Sqlite;

/// <summary>A process that reads is killed with SIGKILL and continues from the last event that it printed.</summary>
[Collection(AloneCollection.Name)]
public sealed class KilledReaderTests(ITestOutputHelper output)
{
    [Fact]
    public Task A_killed_reader_continues_from_its_position_and_stops_no_other() => RunAsync(150, kills: 1);

    [Fact]
    [Trait("Category", "Long")]
    public Task A_killed_reader_beside_very_many_continues_from_its_position_and_stops_no_other() => RunAsync(LongShare.Of(20_000), kills: 4);

    [Fact]
    public async Task A_process_that_is_killed_during_a_read_does_not_block_a_checkpoint()
    {
        using var host = new SqliteHost();
        await using var journal = (SqliteJournalUnderTest)await host.NewJournalAsync();
        await using var process = OtherProcess.Start("block", journal.File);
        await process.UntilAsync("blocked 0", 1);
        await journal.AppendAsync("a", 1, 10);
        await using var connection = await journal.ConnectAsync();
        // The test need not wait for the end of the process.
        await connection.RunAsync("PRAGMA busy_timeout = 0");
        Assert.Equal(1, await connection.ScalarAsync<long>("PRAGMA wal_checkpoint(TRUNCATE)"));

        await process.KillAsync();

        Assert.Equal(0, await connection.ScalarAsync<long>("PRAGMA wal_checkpoint(TRUNCATE)"));
        Assert.Equal(0, new FileInfo($"{journal.File}-wal").Length);
    }

    private async Task RunAsync(int queries, int kills)
    {
        using var host = new SqliteHost();
        await using var journal = (SqliteJournalUnderTest)await host.NewJournalAsync();
        await using var run = await FaultRun.StartAsync(journal, new("SQLite", queries), output);
        List<long> received = [];
        await run.StrikeTwiceAsync(
            $"reader's process killed (SIGKILL) {kills} times, and begun from its position",
            async () =>
            {
                for (var kill = 0; kill < kills; kill++)
                    await ReadOnAsync(journal.File, received, 50);
            },
            () => Task.CompletedTask);
        await run.EndAsync();

        var orderings = (await journal.RowsAsync()).ConvertAll(row => row.Ordering);
        await ReadOnAsync(journal.File, received, orderings.Count - received.Count);
        Assert.Equal(orderings, received);
    }

    /// <summary>Starts a reader after the last received event, and kills it after the given number of further events.</summary>
    private static async Task ReadOnAsync(string file, List<long> received, int more)
    {
        await using var reader = OtherProcess.Start("read", file, $"{received.LastOrDefault()}");
        await reader.UntilAsync("event", more);
        await reader.KillAsync();
        received.AddRange(reader.Lines.Select(line => long.Parse(line.Split(' ')[1])));
    }
}
