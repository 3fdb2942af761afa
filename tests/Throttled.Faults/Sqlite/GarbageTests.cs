using Throttled.Faults.World;
using Throttled.Journal.Sqlite.Tests.Contract;

namespace Throttled.Faults.Sqlite;

/// <summary>The file is overwritten while it is open, and then restored. No writer is active in between.</summary>
[Collection(AloneCollection.Name)]
public sealed class GarbageTests(ITestOutputHelper output)
{
    [Fact]
    public Task A_file_that_is_overwritten_and_restored_costs_no_query_and_no_event() => RunAsync(150);

    [Fact]
    [Trait("Category", "Long")]
    public Task A_file_that_is_overwritten_and_restored_costs_none_of_very_many() => RunAsync(LongShare.Of(20_000));

    private async Task RunAsync(int queries)
    {
        using var host = new SqliteHost();
        await using var journal = (SqliteJournalUnderTest)await host.NewJournalAsync();
        await using var run = await FaultRun.StartAsync(journal, new("SQLite", queries), output);
        await using var file = await RuinedFile.OfAsync(journal);
        await run.StrikeTwiceAsync(
            "file overwritten with garbage and put back",
            async () =>
            {
                await file.RuinAsync();
                await run.Meter.MoreAsync(2, "probe");
            },
            file.PutBackAsync);
        await file.DisposeAsync();
        await run.EndAsync();
    }
}
