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
                // A fatal error of the tail causes no probe; one of a page does. If all queries follow, there may be no page.
                await run.Meter.MoreAsync(3, "keys", "probe");
            },
            file.PutBackAsync);
        await run.StrikeAsync(
            "file overwritten while only the tail reads",
            async () =>
            {
                await run.RestAsync();
                await run.UntilFollowingAsync();
                // The tail has seen all commits then.
                await run.Meter.MoreAsync(2, "keys");
                var (probes, retries) = (run.Meter.Of("probe"), run.Meter.Retries);
                await file.RuinAsync();
                await Wait.UntilAsync(() => run.Meter.Retries >= retries + 2, "two failed polls");
                Assert.Equal(probes, run.Meter.Of("probe"));
            },
            async () =>
            {
                await file.PutBackAsync();
                run.GoOn();
            });
        await file.DisposeAsync();
        await run.EndAsync();
    }
}
