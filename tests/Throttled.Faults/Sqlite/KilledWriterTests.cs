using Throttled.Faults.Processes;
using Throttled.Faults.World;
using Throttled.Journal.Sqlite.Tests.Contract;

namespace Throttled.Faults.Sqlite;

/// <summary>A process that writes is killed with SIGKILL within its transactions, several times, while others write and read.</summary>
[Collection(AloneCollection.Name)]
public sealed class KilledWriterTests(ITestOutputHelper output)
{
    [Fact]
    public Task A_writer_that_is_killed_costs_no_query_and_no_event() => RunAsync(150, kills: 2);

    [Fact]
    [Trait("Category", "Long")]
    public Task A_writer_that_is_killed_under_very_many_costs_no_query_and_no_event() => RunAsync(LongShare.Of(20_000), kills: 4);

    [Fact]
    [Trait("Category", "Long")]
    public Task A_process_that_is_killed_in_a_checkpoint_under_very_many_costs_no_query_and_no_event() => KillInCheckpointAsync(LongShare.Of(10_000), kills: 4);

    private async Task KillInCheckpointAsync(int queries, int kills)
    {
        using var host = new SqliteHost();
        await using var journal = (SqliteJournalUnderTest)await host.NewJournalAsync();
        await using var run = await FaultRun.StartAsync(journal, new("SQLite", queries), output);
        await run.StrikeTwiceAsync(
            $"process killed (SIGKILL) {kills} times in a checkpoint", () => KillAsync("checkpoint", "checkpoint", journal.File, kills), () => Task.CompletedTask);
        await run.EndAsync();
    }

    private async Task RunAsync(int queries, int kills)
    {
        using var host = new SqliteHost();
        await using var journal = (SqliteJournalUnderTest)await host.NewJournalAsync();
        await using var run = await FaultRun.StartAsync(journal, new("SQLite", queries) { OtherIds = NumberedTransactions.Ids }, output);
        await run.StrikeTwiceAsync($"writer's process killed (SIGKILL) {kills} times in a transaction", () => KillAsync("write", "half", journal.File, kills), () => Task.CompletedTask);
        var written = await NumberedTransactions.AddToLedgerAsync(run.Ledger, journal);
        // At least one transaction between two kills, and those whose commit was printed.
        Assert.True(written >= kills, $"The killed writer has committed {written} transactions.");
        output.WriteLine($"{written} transactions of the killed writer");
        await run.EndAsync();
    }

    private static async Task KillAsync(string work, string word, string file, int kills)
    {
        for (var kill = 0; kill < kills; kill++)
        {
            await using var writer = OtherProcess.Start(work, file);
            await writer.UntilAsync(word, 3 + kill);
            await writer.KillAsync();
        }
    }
}
